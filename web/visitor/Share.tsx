import { useState } from "preact/hooks";
import { Icon } from "./Icon";
import type { Visitor } from "../lib/visit";
import { t } from "../words/visitor";
import "./Panel"; // so that what both hold is one file: markdown.ts

/** A link to the talk as it is now: made, copied, taken back. */
export default function Share({ visitor }: { visitor: Visitor }) {
  const [open, setOpen] = useState(false);
  const [url, setUrl] = useState("");
  const [copied, setCopied] = useState(false);
  const close = () => {
    setOpen(false);
    setCopied(false);
  };
  const make = async () => {
    const made = await visitor.share();
    setUrl(made);
    // A frame may be refused to write it: then it stands in the field.
    await navigator.clipboard.writeText(made).then(
      () => setCopied(true),
      () => {},
    );
  };
  return (
    <div
      class="menu"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        close();
      }}
    >
      <button class="icon" aria-label={t.share} aria-expanded={open} onClick={() => (open ? close() : setOpen(true))}>
        <Icon name="share" />
      </button>
      {open && (
        <div class="sheet">
          <p>{t.linkText}</p>
          {url ? (
            <>
              <input readOnly aria-label={t.share} value={url} onFocus={(event) => event.currentTarget.select()} />
              {copied && <span role="status">{t.copied}</span>}
              <button
                class="small"
                onClick={async () => {
                  await visitor.unshare();
                  setUrl("");
                  close();
                }}
              >
                {t.linkEnd}
              </button>
            </>
          ) : (
            <button class="small" onClick={make}>
              {t.link}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
