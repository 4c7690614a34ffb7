// Colours that an owner chose, and what can be read on them (WCAG 2.2, relative luminance).

export function rgb(hex: string): [number, number, number] | null {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])[0-9a-f]?$/i.exec(hex);
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})(?:[0-9a-f]{2})?$/i.exec(hex);
  const parts = short?.slice(1).map((d) => d + d) ?? long?.slice(1);
  return parts ? (parts.map((part) => parseInt(part, 16)) as [number, number, number]) : null;
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

/** Ink for letters on that colour: the one of the two that is read better. */
export const inkOn = (hex: string) => (contrast(hex, "#ffffff") >= contrast(hex, "#171b19") ? "#ffffff" : "#171b19");
