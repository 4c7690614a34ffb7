import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { parse, plain, type BlockNode, type Inline, type Parsed } from "../lib/markdown";

/** Marks in the text, by letters that no text has: BEGIN n LETTERS_END … END n LETTERS_END. */
const BEGIN = "\uE000",
  END = "\uE001",
  STOP = "\uE002";
const marks = /([\uE000\uE001])(\d+)\uE002/;

export interface Passage {
  text: string;
  /** The numbers behind it, from 1. */
  sources: number[];
}

/** What makes a line a list's, a heading, a quote, a row: a mark before it would make it none. */
const LINE = /^(?:[ \t]*(?:[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+|#{1,6}[ \t]+|>[ \t]?|\|[ \t]*))+/;
/** Emphasis begins and ends beside letters; beside a mark it would be none. */
const OPENS = /^[*_~]+/,
  CLOSES = /(?:[*_~]+|[ \t]*\|)?\s*$/;

interface Span {
  i: number;
  at: number;
  end: number;
}

/** Where the text has each passage, the longest first where some begin alike; none within another. */
function spansOf(text: string, passages: Passage[]): Span[] {
  const found = passages
    .map(({ text: words }, i) => ({ i, at: words ? text.indexOf(words) : -1, end: words.length }))
    .filter(({ at }) => at >= 0)
    .map(({ i, at, end }) => ({ i, at, end: at + end }))
    .sort((a, b) => a.at - b.at || b.end - a.end);
  const spans: Span[] = [];
  for (const { i, at, end } of found) {
    if (at < (spans.at(-1)?.end ?? 0)) continue;
    const line = at === 0 || text[at - 1] === "\n" ? (LINE.exec(text.slice(at, end))?.[0].length ?? 0) : 0;
    const from = at + line + (OPENS.exec(text.slice(at + line, end))?.[0].length ?? 0);
    const words = text.slice(from, end).replace(CLOSES, "");
    spans.push(words ? { i, at: from, end: from + words.length } : { i, at, end });
  }
  return spans;
}

/** Puts marks around the spans. */
function withMarks(text: string, spans: Span[]): string {
  let out = "",
    done = 0;
  for (const { i, at, end } of spans) {
    out += `${text.slice(done, at)}${BEGIN}${i}${STOP}${text.slice(at, end)}${END}${i}${STOP}`;
    done = end;
  }
  return out + text.slice(done);
}

/** What an answer is built of: equal where two differ in their words alone. */
const shapeOf = (nodes: BlockNode[]): string =>
  JSON.stringify(nodes, (key, value) => (key === "text" ? undefined : value)).replaceAll('{"kind":"text"},', "");

/** The answer with marks around its passages. Marks never change what it is built of: one that would is left out. */
function parseMarked(text: string, passages: Passage[], before: Parsed | null): Parsed {
  const spans = spansOf(text, passages);
  if (!spans.length) return parse(text, before);
  const shape = shapeOf(parse(text).nodes);
  const fits = (some: Span[]) => shapeOf(parse(withMarks(text, some)).nodes) === shape;
  if (fits(spans)) return parse(withMarks(text, spans));
  const kept: Span[] = [];
  for (const span of spans) if (fits([...kept, span])) kept.push(span);
  return parse(withMarks(text, kept));
}

const none: Passage[] = [];

interface Props {
  text: string;
  /** Off: the text as it is written. */
  formatted?: boolean;
  passages?: Passage[];
  /** More of it may follow: what is drawn stays as it is. */
  coming?: boolean;
  /** The passage in hand, whose words are marked. */
  active?: number | null;
  /** Draws the number behind a passage, or for "[n]" in the text (passage: -1). */
  cite?: (source: number, passage: number) => ComponentChildren;
  /** What stands behind a paragraph in which these "[n]" are. */
  behind?: (sources: number[]) => ComponentChildren;
}

/** An answer's text. Nothing of it becomes an element that is not named here. */
export function Markdown({ text, formatted = true, passages = none, coming, active = null, cite, behind }: Props) {
  const parsed = useRef<Parsed | null>(null);
  const drawn = useRef(new WeakMap<BlockNode, ComponentChildren>());
  const tree = useMemo(() => {
    if (!formatted) return plain(withMarks(text, spansOf(text, passages)));
    parsed.current = parseMarked(text, passages, parsed.current);
    return parsed.current.nodes;
  }, [text, passages, formatted]);
  let cited: number[] = []; // in the block that is being drawn
  let within = -1; // the passage that is being drawn: it may go through several elements

  function letters(value: string): ComponentChildren {
    const parts = cite ? value.split(/(\[\d{1,2}\])/) : [value];
    return parts.map((part) => {
      const n = /^\[(\d+)\]$/.exec(part);
      if (!n || !cite) return part;
      cited.push(Number(n[1]));
      return cite(Number(n[1]), -1);
    });
  }
  function run(value: string): ComponentChildren[] {
    const out: ComponentChildren[] = [];
    for (let rest = value; rest;) {
      const mark = marks.exec(rest);
      const before = mark ? rest.slice(0, mark.index) : rest;
      if (before)
        out.push(within >= 0 && within === active ? <span class="said">{letters(before)}</span> : letters(before));
      if (!mark) break;
      const i = Number(mark[2]);
      within = mark[1] === BEGIN ? i : -1;
      if (mark[1] === END && cite) for (const n of passages[i]?.sources ?? []) out.push(cite(n, i));
      rest = rest.slice(mark.index + mark[0].length);
    }
    return out;
  }
  const inline = (nodes: Inline[]): ComponentChildren =>
    nodes.map((node) => {
      switch (node.kind) {
        case "text":
          return run(node.text);
        case "code":
          return <code>{run(node.text)}</code>;
        case "break":
          return <br />;
        case "link":
          return (
            <a href={node.href} target="_blank" rel="noopener noreferrer nofollow">
              {inline(node.of)}
            </a>
          );
        default: {
          const Tag = node.kind;
          return <Tag>{inline(node.of)}</Tag>;
        }
      }
    });
  const blocks = (nodes: BlockNode[], tight = false): ComponentChildren =>
    nodes.map((node) => {
      switch (node.kind) {
        case "paragraph":
          return tight ? inline(node.of) : <p dir="auto">{inline(node.of)}</p>;
        case "heading":
          return (
            <p class="heading" dir="auto" role="heading" aria-level={Math.min(6, node.level + 1)}>
              {inline(node.of)}
            </p>
          );
        case "list": {
          const items = node.items.map((item) => <li dir="auto">{blocks(item, true)}</li>);
          return node.ordered ? <ol start={node.start}>{items}</ol> : <ul>{items}</ul>;
        }
        case "quote":
          return <blockquote>{blocks(node.of)}</blockquote>;
        case "code":
          return (
            <pre tabIndex={0}>
              <code>{run(node.text)}</code>
            </pre>
          );
        case "rule":
          return <hr />;
        case "table":
          return (
            <div class="table-wrap" tabIndex={0} role="group">
              <table>
                <thead>
                  <tr>
                    {node.head.map((cell) => (
                      <th>{inline(cell)}</th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {node.rows.map((row) => (
                    <tr>
                      {row.map((cell) => (
                        <td>{inline(cell)}</td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          );
      }
    });
  return (
    <div class="text">
      {tree.map((node) => {
        const before = coming && drawn.current.get(node);
        if (before) return before;
        cited = [];
        const now = (
          <>
            {blocks([node])}
            {behind?.(cited)}
          </>
        );
        if (coming) drawn.current.set(node, now);
        return now;
      })}
    </div>
  );
}
