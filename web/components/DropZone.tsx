import { useRef, useState } from "preact/hooks";
import { w } from "../words/dashboard";
import { Button } from "./Button";
import { Icon } from "./Icon";

/** All files below what was dropped, folders included. */
async function filesOf(items: DataTransferItemList): Promise<File[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry != null);
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

/** Takes files and folders, dropped or picked. */
export function DropZone({ onFiles, compact }: { onFiles: (files: File[]) => void; compact?: boolean }) {
  const [over, setOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const picked = (event: { currentTarget: HTMLInputElement }) => {
    onFiles([...(event.currentTarget.files ?? [])]);
    event.currentTarget.value = "";
  };
  return (
    <div
      class={`drop ${over ? "over" : ""} ${compact ? "compact" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={async (event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer) onFiles(await filesOf(event.dataTransfer.items));
      }}
    >
      <Icon name="upload" />
      <b>{w.dropFiles}</b>
      {!compact && <span>{w.dropKinds}</span>}
      <span class="chips">
        <Button onClick={() => files.current!.click()}>{w.chooseFiles}</Button>
        <Button kind="quiet" onClick={() => folder.current!.click()}>
          {w.chooseFolder}
        </Button>
      </span>
      <input ref={files} type="file" multiple hidden aria-label={w.chooseFiles} onChange={picked} />
      <input
        ref={(element) => {
          folder.current = element;
          element?.setAttribute("webkitdirectory", "");
        }}
        type="file"
        hidden
        aria-label={w.chooseFolder}
        onChange={picked}
      />
    </div>
  );
}
