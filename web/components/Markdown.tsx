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

/** Puts marks around each passage where the text has it, the longest first. */
function withMarks(text: string, passages: Passage[]): string {
  const found = passages
    .map((passage, i) => ({ i, at: text.indexOf(passage.text), n: passage.text.length }))
    .filter(({ at, n }) => at >= 0 && n > 0)
    .sort((a, b) => a.at - b.at || b.n - a.n);
  let out = "",
    end = 0;
  for (const { i, at, n } of found) {
    if (at < end) continue;
    out += `${text.slice(end, at)}${BEGIN}${i}${STOP}${text.slice(at, at + n)}${END}${i}${STOP}`;
    end = at + n;
  }
  return out + text.slice(end);
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
    const marked = withMarks(text, passages);
    if (!formatted) return plain(marked);
    parsed.current = parse(marked, parsed.current);
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
