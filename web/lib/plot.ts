// Draws a plot. It comes with the library that draws, when the first one is shown.
import uPlot from "uplot";
import { number } from "./format";

const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A colour token as the canvas takes it: light-dark() is resolved by an element that wears it. */
function resolved(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = token(name) && `var(${name})`;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

/** Bars over named intervals; the caller takes the plot away again. */
export default function draw(box: HTMLElement, name: string, labels: string[], values: number[]): uPlot {
  const [accent, soft, mute, line] = ["--accent", "--accent-soft", "--mute", "--line"].map(resolved) as [
    string,
    string,
    string,
    string,
  ];
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  return new uPlot(
    {
      width: box.clientWidth,
      height: 190,
      legend: { show: false },
      padding: [10, 8, 0, 0],
      cursor: { show: false },
      scales: {
        x: { time: false, range: [-0.6, labels.length - 0.4] },
        y: { range: (_, __, max) => [0, Math.max(max * 1.1, 1)] },
      },
      series: [
        {},
        {
          label: name,
          stroke: accent,
          fill: soft,
          width: 1.5,
          points: { show: false },
          paths: uPlot.paths.bars!({ size: [0.6, 56], radius: 0.12 }),
        },
      ],
      axes: [
        {
          stroke: mute,
          font,
          size: 26,
          grid: { show: false },
          ticks: { show: false },
          splits: () => labels.map((_, i) => i),
          values: (_, splits) => splits.map((i) => (i % Math.ceil(labels.length / 12) ? "" : (labels[i] ?? ""))),
        },
        {
          stroke: mute,
          font,
          size: 42,
          grid: { stroke: line, width: 1 },
          ticks: { show: false },
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10000, 100000],
          values: (_, splits) => splits.map(number),
        },
      ],
    },
    [labels.map((_, i) => i), values],
    box,
  );
}
