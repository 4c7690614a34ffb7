import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Dialog } from "../components/Dialog";
import { AddressField, addressOf } from "../components/AddressField";
import { Field } from "../components/Field";
import { FileChooser } from "../components/FileChooser";
import { Icon } from "../components/Icon";
import { Note } from "../components/Note";
import { ReadingOptions } from "../components/ReadingOptions";
import { Toggle } from "../components/Toggle";
import { post, upload } from "../lib/api";
import { host, percent } from "../lib/format";
import { changed, ofAddress, ofAgent, usual, type Options } from "../lib/reading";
import { go } from "../lib/router";
import { tell } from "../lib/state";
import type { Agent } from "../lib/types";
import { bytesOf, formOf, portions, uploadFiles } from "../lib/uploads";
import { w } from "../words/dashboard";

type Way = "files" | "address" | "empty";
const ways = [
  ["files", "document", w.fromFiles],
  ["address", "globe", w.fromAddress],
  ["empty", "empty", w.fromNothing],
] as const;

/** A name for who has given none: of the file, or of the host. */
function nameFor(way: Way, files: File[], address: string): string {
  if (way === "files" && files[0]) return files[0].name.replace(/\.[^.]+$/, "");
  return way === "address" && address ? host(addressOf(address)) : "";
}

export default function NewAgent({ onClose }: { onClose: () => void }) {
  const [way, setWay] = useState<Way>("files");
  const [name, setName] = useState("");
  const [address, setAddress] = useState("");
  const [files, setFiles] = useState<File[]>([]);
  const [isMaster, setMaster] = useState(false);
  const [options, setOptions] = useState<Options>(usual);
  const [share, setShare] = useState<number | null>(null);
  const [error, setError] = useState("");
  const shown = way === "address" ? [...ofAgent, ...ofAddress] : ofAgent;
  const suggested = nameFor(way, files, address);
  const ready =
    (name.trim() || suggested) && (way !== "files" || files.length > 0) && (way !== "address" || address.trim() !== "");

  async function create() {
    if (!ready || share !== null) return;
    const [first = [], ...others] = way === "files" ? portions(files) : [];
    const part = bytesOf(first) / (bytesOf(files) || 1);
    const form = formOf(first);
    form.set("project_name", name.trim() || suggested);
    if (way === "address") form.set("sitemap_path", addressOf(address));
    if (isMaster) form.set("is_master", "true");
    for (const [option, value] of Object.entries(changed(usual, options, shown))) form.set(option, String(value));
    setShare(0);
    setError("");
    try {
      const agent = await upload<Agent>("/projects", form, (share) => setShare(share * (part || 1)));
      // The agent is there: what fails from here on is told, and never makes a second one.
      await uploadFiles(agent.id, others.flat(), (share) => setShare(part + share * (1 - part))).catch((failure) =>
        tell((failure as Error).message, undefined, 7000),
      );
      // Whom it talks to is not known yet: they read their own language.
      await post(`/projects/${agent.id}/settings`, { chatbot_msg_lang: "visitor" }).catch((failure) =>
        tell((failure as Error).message, undefined, 7000),
      );
      onClose();
      go(`/agents/${agent.id}/${way === "empty" ? "documents" : "ask"}`);
    } catch (failure) {
      setError((failure as Error).message);
      setShare(null);
    }
  }
  return (
    <Dialog
      title={w.newAgent}
      onClose={onClose}
      onSubmit={() => void create()}
      footer={
        <>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button kind="primary" type="submit" disabled={!ready} busy={share !== null}>
            {share === null ? w.create : w.uploading(percent(share))}
          </Button>
        </>
      }
    >
      <div class="ways" role="group" aria-label={w.newAgent}>
        {ways.map(([id, icon, title]) => (
          <button key={id} type="button" aria-pressed={way === id} onClick={() => setWay(id)}>
            <Icon name={icon} />
            {title}
          </button>
        ))}
      </div>
      {way === "files" && <FileChooser files={files} onChange={setFiles} />}
      {way === "address" && <AddressField label={w.address} value={address} onChange={setAddress} />}
      <Field label={w.agentName}>
        {(given) => (
          <input
            {...given}
            class="input"
            maxLength={255}
            placeholder={suggested}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <details>
        <summary>{w.readingOptions}</summary>
        <div class="options">
          <ReadingOptions
            names={shown}
            values={options}
            onChange={(option, value) => setOptions({ ...options, [option]: value })}
          />
          <Toggle label={w.makeMaster} help={w.makeMasterHelp} checked={isMaster} onChange={setMaster} />
        </div>
      </details>
      {error && <Note kind="bad">{error}</Note>}
    </Dialog>
  );
}
