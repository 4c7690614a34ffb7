import { bytes } from "../lib/format";
import { w } from "../words/dashboard";
import { Button } from "./Button";
import { DropZone } from "./DropZone";

/** Where files are dropped, and those that were, each with a way out. */
export function FileChooser({ files, onChange }: { files: File[]; onChange: (files: File[]) => void }) {
  return (
    <>
      <DropZone compact={files.length > 0} onFiles={(more) => onChange([...files, ...more])} />
      {files.length > 0 && (
        <ul class="file-list" aria-label={w.filesChosen(files.length)}>
          {files.map((file, i) => (
            <li key={i}>
              <span>{file.webkitRelativePath || file.name}</span>
              <span class="num lead">{bytes(file.size)}</span>
              <Button
                kind="quiet"
                icon="close"
                label={`${w.remove} ${file.name}`}
                onClick={() => onChange(files.filter((f) => f !== file))}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
