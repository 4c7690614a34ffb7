// Two texts line by line: the longest lines that both have in their order stay, the rest is gone or new.

export interface Line {
  kind: "same" | "gone" | "new";
  text: string;
}

export function diffLines(from: string, to: string): Line[] {
  const a = from ? from.split("\n") : [],
    b = to ? to.split("\n") : [];
  const long: Uint32Array[] = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      long[i]![j] = a[i] === b[j] ? long[i + 1]![j + 1]! + 1 : Math.max(long[i + 1]![j]!, long[i]![j + 1]!);
  const out: Line[] = [];
  let i = 0,
    j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ kind: "same", text: a[i]! });
      i++;
      j++;
    } else if (i < a.length && (j === b.length || long[i + 1]![j]! >= long[i]![j + 1]!))
      out.push({ kind: "gone", text: a[i++]! });
    else out.push({ kind: "new", text: b[j++]! });
  }
  return out;
}
