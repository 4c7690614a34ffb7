import { useState } from "preact/hooks";
import { changeMany, readSourceNow, setOption, type Content, type Filter, type Source } from "../lib/content";
import { ofAgent, optionsOf, type OptionName, type Options } from "../lib/reading";
import { useReach } from "../lib/reach";
import { agent, attempt, tell } from "../lib/state";
import { contentCame } from "../lib/uploads";
import { w } from "../words/dashboard";
import { Button } from "../components/Button";
import { Note } from "../components/Note";
import { ReadingOptions } from "../components/ReadingOptions";

interface Props {
  id: number;
  content: Content;
  sources: Source[];
  onChanged: () => void;
}

/** Documents and addresses that an option is about. */
interface Concerned {
  which: (Filter | { page_ids: number[] })[];
  sources: Source[];
}

const idsOf = (content: Content, code: string) =>
  content.needs.find((need) => need.reason_code === code)?.pages.map((page) => page.id) ?? [];

function concernedBy(name: OptionName, { content, sources }: Props): Concerned {
  const named = (code: string) => ({ which: [{ page_ids: idsOf(content, code) }], sources: [] });
  if (name === "is_ocr_enabled") return named("pictures_off");
  if (name === "allow_extra_timeout") return named("too_long");
  if (name === "is_vision_enabled" || name === "is_vision_compress_image")
    return {
      which: [
        { kind: "pdf", state: "all" },
        { kind: "picture", state: "all" },
      ],
      sources: [],
    };
  if (name === "is_low_performance_mode_enabled" || name === "use_full_url_crawl") return { which: [], sources };
  return { which: [], sources: [] };
}

/** How the agent reads its documents: what each option would mend, and what a change concerns is read again. */
export function HowRead(props: Props) {
  const { id, content, onChanged } = props;
  const [changed, setChanged] = useState<OptionName | null>(null);
  const [busy, setBusy] = useState(false);
  useReach();
  const set = (name: OptionName, value: Options[OptionName]) =>
    void attempt(async () => {
      await setOption(id, name, value);
      tell(w.saved);
      const { which, sources } = concernedBy(name, props);
      const some = which.some((each) => !("page_ids" in each) || each.page_ids.length > 0);
      setChanged(value && (some || sources.length) ? name : null);
    });
  const again = () =>
    attempt(async () => {
      setBusy(true);
      try {
        const { which, sources } = concernedBy(changed!, props);
        let done = 0;
        for (const each of which) done += (await changeMany(id, "reindex", each)).done;
        for (const source of sources) await readSourceNow(id, source.id);
        tell(done ? w.requeued(done) : w.syncing);
        setChanged(null);
        contentCame();
        onChanged();
      } finally {
        setBusy(false);
      }
    });
  const waiting = (code: string) => {
    const count = content.needs.find((need) => need.reason_code === code)?.count ?? 0;
    return count && !agent.value?.[code === "too_long" ? "allow_extra_timeout" : "is_ocr_enabled"]
      ? w.waitForIt(count)
      : "";
  };
  return (
    <section class="card padded options how-read" aria-label={w.readingOptions}>
      <h2>{w.readingOptions}</h2>
      <p class="lead">{w.reading.fromNow}</p>
      {changed && (
        <Note>
          {w.readAgainOffer}{" "}
          <Button icon="refresh" busy={busy} onClick={() => void again()}>
            {w.readConcerned}
          </Button>
        </Note>
      )}
      <ReadingOptions
        names={ofAgent}
        values={optionsOf(agent.value)}
        mends={{ is_ocr_enabled: waiting("pictures_off"), allow_extra_timeout: waiting("too_long") }}
        onChange={set}
      />
    </section>
  );
}
