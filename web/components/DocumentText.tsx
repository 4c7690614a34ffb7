import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { clock } from "../lib/format";
import type { Block, Place, TextWindow } from "../lib/types";
import { Button } from "./Button";
import { Note } from "./Note";

const encoder = new TextEncoder(),
  decoder = new TextDecoder();
/** What stands before a place is shown with it. */
const BEFORE = 4000,
  WINDOW = 24000;

/** What stands around a text, in the surface's own language. */
export interface TextWords {
  page: (n: number) => string;
  earlier: string;
  more: string;
  none: string;
}

interface Props {
  words: TextWords;
  /** Reads a window of the document's text. */
  load: (from: number, length: number) => Promise<TextWindow>;
  places: Place[];
  /** Which of the places is in hand. */
  current: number;
  number?: number;
  onLoaded?: (text: TextWindow) => void;
}

/** A block with the parts of it that are marked; places count bytes, texts letters. */
function Marked({
  block,
  places,
  current,
  number,
}: {
  block: Block;
  places: Place[];
  current: number;
  number?: number;
}) {
  const inside = places
    .map((place, i) => ({ i, from: place.offset - block.offset, to: place.offset + place.length - block.offset }))
    .filter(({ from, to }) => to > 0 && from < block.length)
    .sort((a, b) => a.from - b.from);
  if (!inside.length) return <>{block.text}</>;
  const bytes = encoder.encode(block.text);
  const out: ComponentChildren[] = [];
  let end = 0;
  for (const { i, from, to } of inside) {
    const start = Math.max(from, end);
    if (to <= start) continue;
    out.push(
      decoder.decode(bytes.subarray(end, start)),
      <mark class={i === current ? "current" : ""}>
        {i === current && number && from >= 0 && (
          <span class="tag" aria-hidden="true">
            {number}
          </span>
        )}
        {decoder.decode(bytes.subarray(start, to))}
      </mark>,
    );
    end = Math.min(to, bytes.length);
  }
  out.push(decoder.decode(bytes.subarray(end)));
  return <>{out}</>;
}

function BlockView({ block, children }: { block: Block; children: ComponentChildren }) {
  switch (block.type) {
    case "heading":
      return (
        <p class="heading" role="heading" aria-level={2}>
          {children}
        </p>
      );
    case "list":
      return <p class="item">{children}</p>;
    case "table":
      return <p class="row">{children}</p>;
    case "code":
      return (
        <pre>
          <code>{children}</code>
        </pre>
      );
    default:
      return <p>{children}</p>;
  }
}

/** A document's text as a page, with places in it marked and the one in hand in view. */
export function DocumentText({ words, load, places, current, number, onLoaded }: Props) {
  const [blocks, setBlocks] = useState<Block[]>([]);
  const [begin, setBegin] = useState(0);
  const [next, setNext] = useState<number | null>(null);
  const [error, setError] = useState("");
  const [ready, setReady] = useState(false);
  const paper = useRef<HTMLDivElement>(null);
  const place = places[current];
  /** Counts what is asked for: what comes behind a later one is dropped. */
  const asked = useRef(0);

  async function read(from: number, how: "new" | "before" | "after", length = WINDOW) {
    const turn = ++asked.current;
    try {
      const text = await load(from, length);
      if (turn !== asked.current) return;
      setError("");
      if (how === "new") setBlocks(text.blocks);
      else if (how === "after")
        setBlocks([...blocks, ...text.blocks.filter((b) => b.offset > (blocks.at(-1)?.offset ?? -1))]);
      else setBlocks([...text.blocks.filter((b) => b.offset < (blocks[0]?.offset ?? 0)), ...blocks]);
      if (how !== "after") setBegin(text.blocks[0]?.offset ?? 0);
      if (how !== "before") setNext(text.next_from);
      setReady(true);
      onLoaded?.(text);
    } catch (failure) {
      if (turn === asked.current) setError((failure as Error).message);
    }
  }
  const has = place && blocks.some((b) => b.offset <= place.offset && place.offset < b.offset + b.length);
  useEffect(() => {
    asked.current++;
    if (!ready || (place && !has)) void read(Math.max(0, (place?.offset ?? 0) - BEFORE), "new");
  }, [place?.offset, place?.page_id]);
  useEffect(() => {
    if (!place) return;
    paper.current?.querySelector("mark.current")?.scrollIntoView({ block: "center" });
  }, [current, ready, place?.offset, has]);

  if (error) return <Note kind="bad">{error}</Note>;
  if (!ready)
    return (
      <div class="loading">
        <span class="spinner" />
      </div>
    );
  let page: number | null = null;
  return (
    <div class="paper" ref={paper} dir="auto">
      {begin > 0 && (
        <Button kind="quiet" onClick={() => void read(Math.max(0, begin - WINDOW), "before", Math.min(WINDOW, begin))}>
          {words.earlier}
        </Button>
      )}
      {blocks.map((block) => {
        const isNew = block.page_no !== null && block.page_no !== page;
        page = block.page_no;
        return (
          <>
            {isNew && <p class="page-no num">{words.page(block.page_no!)}</p>}
            {block.second !== null && <p class="page-no num">{clock(block.second)}</p>}
            <BlockView key={block.offset} block={block}>
              <Marked block={block} places={places} current={current} number={number} />
            </BlockView>
          </>
        );
      })}
      {!blocks.length && <p class="lead">{words.none}</p>}
      {next !== null && (
        <Button kind="quiet" onClick={() => void read(next, "after")}>
          {words.more}
        </Button>
      )}
    </div>
  );
}
