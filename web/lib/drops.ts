// Files that are dropped anywhere on the page: who was shown last takes them. Nobody: they go nowhere,
// and the browser does not leave the page for them.
interface Taker {
  over: (on: boolean) => void;
  take: (files: File[]) => void;
}
const takers: Taker[] = [];

/** Takes what is dropped from now on, until the function that it gives is called. */
export function takeDrops(taker: Taker): () => void {
  takers.at(-1)?.over(false);
  takers.push(taker);
  return () => void takers.splice(takers.indexOf(taker), 1);
}

/** All files below what was dropped, folders included. */
async function filesOf({ items, files: plain }: DataTransfer): Promise<File[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry != null);
  if (!entries.length) return [...plain]; // of a program that hands over files and no places
  const files: File[] = [];
  async function walk(entry: FileSystemEntry): Promise<void> {
    if (entry.isFile) {
      files.push(await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail)));
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
      if (!some.length) return;
      for (const each of some) await walk(each);
    }
  }
  for (const entry of entries) await walk(entry);
  return files.filter((file) => !file.name.startsWith("."));
}

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

addEventListener("dragover", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  takers.at(-1)?.over(true);
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) takers.at(-1)?.over(false); // out of the window
});
// Also where a part of the page takes them for itself.
addEventListener("drop", () => takers.at(-1)?.over(false), true);
addEventListener("drop", (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  const taker = takers.at(-1);
  if (taker && event.dataTransfer) void filesOf(event.dataTransfer).then((files) => files.length && taker.take(files));
});
