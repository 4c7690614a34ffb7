// Markdown to a tree of the few things that may be shown. No HTML is ever written or read: what an
// answer holds of it stays text. The lexer is marked's; its reference links are off, or "[1]: https://…"
// somewhere in an answer would turn a citation into a link to elsewhere.
import { Lexer, Tokenizer, type Token, type Tokens } from "marked";

class Plain extends Tokenizer {
  override def() {
    return undefined;
  }
  override reflink() {
    return undefined;
  }
  override html() {
    return undefined;
  }
  override tag() {
    return undefined;
  }
}

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "strong" | "em" | "del"; of: Inline[] }
  | { kind: "code"; text: string }
  | { kind: "link"; href: string; of: Inline[] }
  | { kind: "break" };

export type BlockNode =
  | { kind: "paragraph"; of: Inline[] }
  | { kind: "heading"; level: number; of: Inline[] }
  | { kind: "list"; ordered: boolean; start: number; items: BlockNode[][] }
  | { kind: "quote"; of: BlockNode[] }
  | { kind: "code"; text: string }
  | { kind: "rule" }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] };

/** An address that may be followed, or null. */
export function safeHref(href: string): string | null {
  try {
    const url = new URL(href);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

function inline(tokens: Token[] | undefined): Inline[] {
  return (tokens ?? []).flatMap((token): Inline[] => {
    switch (token.type) {
      case "strong":
      case "em":
      case "del":
        return [{ kind: token.type, of: inline(token.tokens) }];
      case "codespan":
        return [{ kind: "code", text: token.text }];
      case "br":
        return [{ kind: "break" }];
      case "link": {
        const href = safeHref(token.href);
        return href ? [{ kind: "link", href, of: inline(token.tokens) }] : [{ kind: "text", text: token.raw }];
      }
      case "text":
        return token.tokens ? inline(token.tokens) : [{ kind: "text", text: token.text }];
      case "escape":
        return [{ kind: "text", text: token.text }];
      default: // pictures, HTML and what a later lexer brings: as it is written
        return [{ kind: "text", text: token.raw }];
    }
  });
}

function blocks(tokens: Token[]): BlockNode[] {
  return tokens.flatMap((token): BlockNode[] => {
    switch (token.type) {
      case "space":
        return [];
      case "heading":
        return [{ kind: "heading", level: token.depth, of: inline(token.tokens) }];
      case "list":
        return [
          {
            kind: "list",
            ordered: token.ordered,
            start: Number(token.start) || 1,
            items: (token as Tokens.List).items.map((item) => blocks(item.tokens)),
          },
        ];
      case "blockquote":
        return [{ kind: "quote", of: blocks(token.tokens ?? []) }];
      case "code":
        return [{ kind: "code", text: token.text }];
      case "hr":
        return [{ kind: "rule" }];
      case "table": {
        const table = token as Tokens.Table;
        return [
          {
            kind: "table",
            head: table.header.map((cell) => inline(cell.tokens)),
            rows: table.rows.map((row) => row.map((cell) => inline(cell.tokens))),
          },
        ];
      }
      case "paragraph":
      case "text":
        return [{ kind: "paragraph", of: token.tokens ? inline(token.tokens) : [{ kind: "text", text: token.text }] }];
      default:
        return [{ kind: "paragraph", of: [{ kind: "text", text: token.raw }] }];
    }
  });
}

const lex = (text: string) => new Lexer({ gfm: true, breaks: false, tokenizer: new Plain() }).lex(text);

/** What a text says so far, and how much of it stays so whatever comes behind. */
export interface Parsed {
  text: string;
  nodes: BlockNode[];
  settled: { letters: number; nodes: number };
}

/** A text that goes on where `before` ended is read from its last blocks on; any other from its beginning. */
export function parse(text: string, before: Parsed | null = null): Parsed {
  const goesOn = before && text.startsWith(before.text.slice(0, before.settled.letters));
  const settled = goesOn ? { ...before.settled } : { letters: 0, nodes: 0 };
  const rest = text.slice(settled.letters);
  const nodes = goesOn ? before.nodes.slice(0, settled.nodes) : [];
  const tokens = lex(rest);
  // The last block may still grow, and the one before it may yet become one with it.
  const open = tokens.filter((token) => token.type !== "space").slice(-2)[0];
  const whole = tokens.reduce((n, token) => n + token.raw.length, 0) === rest.length;
  let isOpen = !whole,
    letters = settled.letters;
  for (const token of tokens) {
    isOpen ||= token === open;
    letters += token.raw.length;
    nodes.push(...blocks([token]));
    // Space is the beginning of what comes behind it.
    if (!isOpen && token.type !== "space") Object.assign(settled, { letters, nodes: nodes.length });
  }
  return { text, nodes, settled };
}

/** The text as it is written: a paragraph a line. */
export const plain = (text: string): BlockNode[] =>
  text.split("\n").map((line) => ({ kind: "paragraph", of: [{ kind: "text", text: line }] }));
