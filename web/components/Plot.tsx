import { useEffect, useRef } from "preact/hooks";
import { onLight } from "../lib/light";
import { usePart } from "../lib/usepart";

interface Props {
  labels: string[];
  values: number[];
  name: string;
}

/** Bars over named intervals. The same figures stand in a table beside it. */
export function Plot({ labels, values, name }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const draw = usePart(true, () => import("../lib/plot"));
  useEffect(() => {
    if (!draw) return;
    const box = element.current!;
    let plot: ReturnType<typeof draw> | undefined;
    const anew = () => {
      plot?.destroy();
      plot = draw(box, name, labels, values);
    };
    const observer = new ResizeObserver(anew);
    observer.observe(box);
    const end = onLight(anew);
    return () => {
      observer.disconnect();
      end();
      plot?.destroy();
    };
  }, [draw, labels.join(), values.join()]);
  return <div class="plot" ref={element} role="img" aria-label={name} />;
}
