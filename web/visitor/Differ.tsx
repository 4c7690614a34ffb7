import { date } from "../lib/format";
import type { Stated, TalkConflict } from "../lib/visit";
import { t } from "../words/visitor";

const Said = ({ said }: { said: Stated }) => (
  <li>
    <blockquote dir="auto">{said.text}</blockquote>
    <div>
      <b dir="auto">{said.title}</b>
      {said.dated_at && <span class="where">{date(said.dated_at)}</span>}
    </div>
  </li>
);

/** What documents say otherwise than the answer: each statement with its document and that one's day. */
export default function Differ({ conflicts }: { conflicts: TalkConflict[] }) {
  return (
    <section class="closest">
      <p>{t.documentsDiffer}</p>
      <ul>
        {conflicts.flatMap(({ said, other }, i) => [
          <Said key={`${i} said`} said={said} />,
          <Said key={i} said={other} />,
        ])}
      </ul>
    </section>
  );
}
