import { useRef, useState } from "preact/hooks";
import { get, put, upload } from "../lib/api";
import { changeMany, readSourceNow, readWith, type Content, type Need, type Source } from "../lib/content";
import { tellDeleted } from "../lib/deleted";
import { host } from "../lib/format";
import { sayReason } from "../lib/say";
import { agent, attempt, hasFeature, readStats, tell } from "../lib/state";
import type { Label } from "../lib/types";
import { contentCame, formOf } from "../lib/uploads";
import { w } from "../words/dashboard";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { neededBy } from "../components/FailedReason";
import { Schedule } from "./Schedule";
import { Unlock } from "./Unlock";

/** So many are named in a sentence. */
const NAMED = 3;

/** What only another file helps. */
const ofFile = ["locked", "damaged", "empty", "no_text", "old_format", "unknown_kind", "archive", "too_large"];

interface RowProps {
  id: number;
  sources: Source[];
  onChanged: () => void;
}

/** The names, and how many more there are. */
function Names({ names, count }: { names: string[]; count: number }) {
  const shown = names.slice(0, NAMED);
  return (
    <>
      {shown.map((name, i) => (
        <>
          {i > 0 && ", "}
          <b dir="auto">{name}</b>
        </>
      ))}
      {count > shown.length && ` ${w.andMore(count - shown.length)}`}
    </>
  );
}

/** Takes a file in place of a document that cannot be read. */
function Replace({ id, page, onChanged }: { id: number; page: number; onChanged: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const replace = (files: File[]) =>
    attempt(async () => {
      if (!files.length) return;
      // Who may find the one may find the other.
      const labels = hasFeature("labels") ? await get<Label[]>(`/projects/${id}/pages/${page}/labels`) : [];
      const { pages } = await upload<{ pages: { id: number }[] }>(`/projects/${id}/sources`, formOf(files), () => {});
      if (labels.length)
        await put(`/projects/${id}/pages/${pages[0]!.id}/labels`, { label_ids: labels.map((label) => label.id) });
      await changeMany(id, "delete", { page_ids: [page] });
      contentCame();
      tell(w.contentAdded);
      onChanged();
    });
  return (
    <>
      <Button icon="upload" onClick={() => input.current!.click()}>
        {w.replaceFile}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={w.replaceFile}
        onChange={(event) => void replace([...(event.currentTarget.files ?? [])])}
      />
    </>
  );
}

/** Documents with one trouble, and the buttons that help. */
function NeedRow({ id, need, sources, onChanged }: RowProps & { need: Need }) {
  const [removing, setRemoving] = useState(false);
  const [limits, setLimits] = useState<Source | null>(null);
  const page_ids = need.pages.map((page) => page.id);
  const option = need.pages[0] ? neededBy(need.pages[0]) : null;
  const isOn = option !== null && Boolean(agent.value?.[option]);
  const first = need.pages[0];
  const site = need.reason_code.startsWith("site_") && sources.find((source) => source.id === first?.source_id);
  const readAgain = () =>
    attempt(async () => {
      if (option && !isOn) await readWith(id, option, page_ids);
      else await changeMany(id, "reindex", { page_ids });
      tell(w.syncing);
      contentCame();
      onChanged();
    });
  const mayRead = need.pages.some((page) => page.is_refreshable);
  const isOfFile = ofFile.includes(need.reason_code);
  return (
    <li data-need={need.reason_code}>
      <p>
        <Names names={need.pages.map((page) => page.title)} count={need.count} />
        <span>{option ? w.reading[isOn ? "wasOff" : "isOff"][option] : sayReason(need)}</span>
      </p>
      <span class="buttons">
        {option ? (
          <Button kind="primary" onClick={() => void readAgain()}>
            {isOn ? w.readAgain : w.reading.turnOnHere[option]}
          </Button>
        ) : site ? (
          <Button kind="primary" onClick={() => setLimits(site)}>
            {w.raiseLimit}
          </Button>
        ) : need.reason_code.startsWith("plan_") ? (
          <Button href="/usage">{w.seePlan}</Button>
        ) : (
          mayRead && !isOfFile && <Button onClick={() => void readAgain()}>{w.tryAgain}</Button>
        )}
        {need.reason_code === "locked" && <Unlock id={id} pages={page_ids} onChanged={onChanged} />}
        {first?.is_file && isOfFile && need.count === 1 && <Replace id={id} page={first.id} onChanged={onChanged} />}
        <Button onClick={() => setRemoving(true)}>
          {page_ids.length > 1 ? w.removeAll(page_ids.length) : w.remove}
        </Button>
      </span>
      {limits && (
        <Schedule id={id} source={limits} limitsOpen onSaved={() => void readAgain()} onClose={() => setLimits(null)} />
      )}
      {removing && (
        <Confirm
          title={w.deleteDocuments(page_ids.length)}
          action={w.delete}
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            const gone = await changeMany(id, "delete", { page_ids });
            await tellDeleted(id, gone.page_ids, w.documentsDeleted(gone.done), onChanged);
            void readStats(id).catch(() => {});
            onChanged();
          }}
        >
          <p>{w.deleteDocumentsText}</p>
        </Confirm>
      )}
    </li>
  );
}

/** A website of which nothing could be read. */
const SourceRow = ({ id, source, onChanged }: { id: number; source: Source; onChanged: () => void }) => (
  <li data-need="source">
    <p>
      <b>{host(source.settings.sitemap_path ?? "")}</b>
      <span>{sayReason(source)}</span>
    </p>
    <span class="buttons">
      <Button
        onClick={() =>
          void attempt(async () => {
            await readSourceNow(id, source.id);
            tell(w.syncing);
            contentCame();
            onChanged();
          })
        }
      >
        {w.tryAgain}
      </Button>
    </span>
  </li>
);

/** What the owner has to decide, each with the button that helps. */
export function Needs({ id, content, sources, onChanged }: RowProps & { content: Content }) {
  const failed = sources.filter((source) => source.sync_status === "failed");
  const count = content.needs.length + failed.length;
  if (!count) return null;
  return (
    <section class="needs" aria-label={w.needYou(count)}>
      <h2>{w.needYou(count)}</h2>
      <ul>
        {content.needs.map((need) => (
          <NeedRow key={need.reason_code} id={id} need={need} sources={sources} onChanged={onChanged} />
        ))}
        {failed.map((source) => (
          <SourceRow key={source.id} id={id} source={source} onChanged={onChanged} />
        ))}
      </ul>
    </section>
  );
}
