// Colours that an owner chose, and what can be read on them (WCAG 2.2, relative luminance).

export function rgb(hex: string): [number, number, number] | null {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])[0-9a-f]?$/i.exec(hex);
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})(?:[0-9a-f]{2})?$/i.exec(hex);
  const parts = short?.slice(1).map((d) => d + d) ?? long?.slice(1);
  return parts ? (parts.map((part) => parseInt(part, 16)) as [number, number, number]) : null;
}

/** As a colour picker takes it: six digits. */
export const fullHex = (hex: string) => {
  const parts = rgb(hex);
  return parts && `#${parts.map((n) => n.toString(16).padStart(2, "0")).join("")}`;
};

/** How much of what is behind it a colour hides: 0 to 1. */
export function alpha(hex: string): number {
  const digits = /^#(?:[0-9a-f]{3}([0-9a-f])|[0-9a-f]{6}([0-9a-f]{2}))$/i.exec(hex);
  const [, short, long] = digits ?? [];
  return short ? parseInt(short + short, 16) / 255 : long ? parseInt(long, 16) / 255 : 1;
}

function luminance(hex: string): number {
  const [r, g, b] = (rgb(hex) ?? [255, 255, 255]).map((n) => {
    const s = n / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

export function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high! + 0.05) / (low! + 0.05);
}

const toLinear = (n: number) => (n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4);
const fromLinear = (n: number) => (n <= 0.0031308 ? 12.92 * n : 1.055 * n ** (1 / 2.4) - 0.055);

/** The same hue in another lightness (OKLab, 0 to 1), as strong as the screen can show it. */
export function withLightness(hex: string, lightness: number): string {
  const [r, g, b] = (rgb(hex) ?? [0, 0, 0]).map((n) => toLinear(n / 255));
  const l = Math.cbrt(0.4122214708 * r! + 0.5363325363 * g! + 0.0514459929 * b!),
    m = Math.cbrt(0.2119034982 * r! + 0.6806995451 * g! + 0.1073969566 * b!),
    s = Math.cbrt(0.0883024619 * r! + 0.2817188376 * g! + 0.6299787005 * b!);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    c = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  for (let share = 1; ; share -= 0.1) {
    const [x, y, z] = [
      lightness + share * (0.3963377774 * a + 0.2158037573 * c),
      lightness + share * (-0.1055613458 * a - 0.0638541728 * c),
      lightness + share * (-0.0894841775 * a - 1.291485548 * c),
    ].map((n) => n ** 3);
    const parts = [
      4.0767416621 * x! - 3.3077115913 * y! + 0.2309699292 * z!,
      -1.2684380046 * x! + 2.6097574011 * y! - 0.3413193965 * z!,
      -0.0041960863 * x! - 0.7034186147 * y! + 1.707614701 * z!,
    ];
    if (share <= 0 || parts.every((n) => n >= -0.001 && n <= 1.001))
      return `#${parts
        .map((n) =>
          Math.round(255 * Math.min(1, Math.max(0, fromLinear(Math.max(0, n)))))
            .toString(16)
            .padStart(2, "0"),
        )
        .join("")}`;
  }
}

/** The colour itself where it can be read on that ground, or else its hue lighter or darker. */
export function readableOn(colour: string, ground: string, ratio = 4.5): string {
  if (contrast(colour, ground) >= ratio) return colour;
  const lighter = inkOn(ground) === "#ffffff";
  for (let step = 1; step < 20; step++) {
    const other = withLightness(colour, lighter ? 0.5 + step * 0.025 : 0.6 - step * 0.025);
    if (contrast(other, ground) >= ratio) return other;
  }
  return inkOn(ground);
}

/** Ink for letters on that colour: the one of the two that is read better. */
export const inkOn = (hex: string) => (contrast(hex, "#ffffff") >= contrast(hex, "#171b19") ? "#ffffff" : "#171b19");
