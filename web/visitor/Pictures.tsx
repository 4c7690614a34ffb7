import { useEffect, useRef, useState } from "preact/hooks";
import { send, type ApiError } from "../lib/api";
import "./Panel"; // so that what both hold is one file: markdown.ts

export interface Drawn {
  path: string;
  text: string;
}

/** Larger than anybody sees it here: what is decoded is drawn no larger. */
const SIDE = 900;

const AT_A_TIME = 2,
  TRIES = 4,
  BUSY = 503;
const waiting: (() => void)[] = [];
let loading = 0;

/** The bytes: a few pictures at a time, and again where many fetch pictures just now. */
async function load(path: string, signal: AbortSignal): Promise<Blob> {
  if (loading >= AT_A_TIME) await new Promise<void>((go) => waiting.push(go));
  loading++;
  try {
    for (let tried = 1; ; tried++)
      try {
        return await (await send("GET", path, { signal })).blob();
      } catch (error) {
        if ((error as ApiError).status !== BUSY || tried === TRIES) throw error;
        await new Promise((go) => setTimeout(go, tried * 1000));
      }
  } finally {
    loading--;
    waiting.shift()?.();
  }
}

/** A picture that no link names: its request needs a field that only a page of ours sends, and what comes is
 * drawn. Where there is none, nothing stands. */
function Picture({ path, text }: Drawn) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [gone, setGone] = useState(false);
  const [there, setThere] = useState(false);
  useEffect(() => {
    const abort = new AbortController();
    const draw = async () => {
      const picture = await createImageBitmap(await load(path, abort.signal));
      if (!canvas.current) return;
      const scale = Math.min(1, SIDE / Math.max(picture.width, picture.height));
      canvas.current.width = Math.max(1, Math.round(picture.width * scale));
      canvas.current.height = Math.max(1, Math.round(picture.height * scale));
      canvas.current.getContext("2d")!.drawImage(picture, 0, 0, canvas.current.width, canvas.current.height);
      picture.close();
      setThere(true);
    };
    draw().catch(() => !abort.signal.aborted && setGone(true));
    return () => abort.abort();
  }, [path]);
  if (gone) return null;
  return <canvas ref={canvas} role="img" aria-label={text} hidden={!there} />;
}

/** Pictures beside each other. */
export default function Pictures({ pictures, limited }: { pictures: Drawn[]; limited: boolean }) {
  return (
    <div class={`pictures ${limited ? "limited-height" : ""}`}>
      {pictures.map((picture) => (
        <Picture key={picture.path} {...picture} />
      ))}
    </div>
  );
}
