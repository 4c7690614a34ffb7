import { useEffect, useRef, useState } from "preact/hooks";
import { takeDrops } from "../lib/drops";
import { w } from "../words/dashboard";
import { Button } from "./Button";
import { Icon } from "./Icon";

/** Takes files and folders: dropped, here or beside it, or picked. */
export function DropZone({ onFiles, compact }: { onFiles: (files: File[]) => void; compact?: boolean }) {
  const [over, setOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => takeDrops({ over: setOver, take: (dropped) => take.current(dropped) }), []);
  const picked = (event: { currentTarget: HTMLInputElement }) => {
    onFiles([...(event.currentTarget.files ?? [])]);
    event.currentTarget.value = "";
  };
  return (
    <div class={`drop ${over ? "over" : ""} ${compact ? "compact" : ""}`}>
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
