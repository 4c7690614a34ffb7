// Files to the reader's disk. A request of ours carries a field that a link cannot, so they are
// fetched and handed over.
import { send } from "./api";

export function saveBlob(blob: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export async function download(path: string, name: string) {
  saveBlob(await (await send("GET", path)).blob(), name);
}

/** Rows as CSV: what a spreadsheet would take for a formula begins with an apostrophe. */
export function csv(rows: (string | number | null | undefined)[][]): Blob {
  const cell = (value: string | number | null | undefined) => {
    const text = value == null ? "" : String(value);
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return new Blob(["\uFEFF" + rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n"], { type: "text/csv" });
}
