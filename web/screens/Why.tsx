import { Dialog } from "../components/Dialog";
import { Loaded } from "../components/Loaded";
import { post } from "../lib/api";
import { useResource } from "../lib/resource";
import { w } from "../words/dashboard";

interface Found {
  page_id: number;
  filename: string | null;
  metadata: { title: string | null; url: string | null };
  heading: string | null;
  page_no: number | null;
  text: string;
  score: number;
  explanation?: {
    first_step: number;
    second_step: number;
    later_steps: number;
    terms: { term: string; contribution: number; df: number }[];
  };
}

const figure = (n: number) => n.toFixed(1);

/** The passages that a question finds, best first, each with what its place rests on. */
export function Why({ id, question, onClose }: { id: number; question: string; onClose: () => void }) {
  const found = useResource(
    () =>
      post<{ passages: Found[]; language: string; searched: number }>(`/projects/${id}/search`, {
        query: question,
        explain: true,
        limit: 8,
      }),
    [question],
  );
  return (
    <Dialog sheet title={w.whyFound} onClose={onClose}>
      <p class="lead">{w.whyText}</p>
      <Loaded from={found}>
        {({ passages, searched }) => (
          <>
            <p class="lead num">{w.whySearched(searched)}</p>
            <ol class="why">
              {passages.map((passage, i) => {
                const top = Math.max(...(passage.explanation?.terms ?? []).map((t) => t.contribution), 0.001);
                return (
                  <li class="card" key={i}>
                    <div class="split">
                      <b>{passage.metadata.title ?? passage.filename}</b>
                      {passage.page_no && <span class="badge">{w.page(passage.page_no)}</span>}
                      <span class="space num" title={w.score}>
                        {figure(passage.score)}
                      </span>
                    </div>
                    {passage.heading && <small class="lead">{passage.heading}</small>}
                    <p class="quote" dir="auto">
                      {passage.text.slice(0, 320)}
                      {passage.text.length > 320 && "…"}
                    </p>
                    {passage.explanation && (
                      <ul class="terms">
                        {passage.explanation.terms
                          .filter((term) => term.contribution > 0)
                          .sort((a, b) => b.contribution - a.contribution)
                          .slice(0, 6)
                          .map((term) => (
                            <li key={term.term}>
                              <span>{term.term}</span>
                              <span class="bar">
                                <i style={{ width: `${(term.contribution / top) * 100}%` }} />
                              </span>
                              <span class="num">{figure(term.contribution)}</span>
                            </li>
                          ))}
                      </ul>
                    )}
                  </li>
                );
              })}
            </ol>
            {!passages.length && <p>{w.whyNothing}</p>}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
