import { useState } from "preact/hooks";
import { changeMany, setOption, type Content, type Filter } from "../lib/content";
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
  onChanged: () => void;
}

const idsOf = (content: Content, code: string) =>
  content.needs.find((need) => need.reason_code === code)?.pages.map((page) => page.id) ?? [];

/** Documents that an option is about. */
function concernedBy(name: OptionName, content: Content): (Filter | { page_ids: number[] })[] {
  const named = (page_ids: number[]) => (page_ids.length ? [{ page_ids }] : []);
  if (name === "is_ocr_enabled") return named(idsOf(content, "pictures_off"));
  if (name === "allow_extra_timeout") return named(idsOf(content, "too_long"));
  if (name === "is_vision_enabled" || name === "is_vision_compress_image")
    return [
      { kind: "pdf", state: "all" },
      { kind: "picture", state: "all" },
    ];
  return [];
}

/** How the agent reads its documents: what each option would mend, and what a change concerns is read again. */
export function HowRead({ id, content, onChanged }: Props) {
  const [changed, setChanged] = useState<OptionName | null>(null);
  const [busy, setBusy] = useState(false);
  useReach();
  const set = (name: OptionName, value: Options[OptionName]) =>
    void attempt(async () => {
      await setOption(id, name, value);
      tell(w.saved);
      const concerns = value && concernedBy(name, content).length > 0;
      setChanged((before) => (concerns ? name : before === name ? null : before));
    });
  const again = () =>
    attempt(async () => {
      setBusy(true);
      try {
        let done = 0,
          skipped = 0;
        for (const each of concernedBy(changed!, content)) {
          const some = await changeMany(id, "reindex", each);
          done += some.done;
          skipped += some.skipped;
        }
        tell(done || !skipped ? w.requeued(done) : w.noneReadAgain);
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
