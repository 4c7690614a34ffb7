import { get } from "../lib/api";
import { csv, saveBlob } from "../lib/files";
import { dateTime } from "../lib/format";
import { useResource } from "../lib/resource";
import type { List } from "../lib/types";
import { w } from "../words/dashboard";
import { Button } from "./Button";
import { Loaded } from "./Loaded";
import { Rows } from "./Table";

export interface Lead {
  session_id: string;
  name: string | null;
  email: string;
  captured_at: string;
  other_data: { question: string };
}

/** Addresses that visitors left for a person to answer them; nothing where there is none. */
export function Leads({ id }: { id: number }) {
  const leads = useResource((signal) => get<List<Lead>>(`/projects/${id}/reports/leads`, { limit: 100 }, signal), [id]);
  return (
    <Loaded from={leads}>
      {({ data }) =>
        data.length > 0 && (
          <section class="card">
            <div class="split card-title">
              <h2>{w.leads.title}</h2>
              <span class="space" />
              <Button
                kind="quiet"
                icon="download"
                label={w.csvOf(w.leads.title)}
                onClick={() =>
                  saveBlob(
                    csv([
                      [w.asked, w.name, w.leads.email, w.question],
                      ...data.map((lead) => [lead.captured_at, lead.name, lead.email, lead.other_data.question]),
                    ]),
                    "leads.csv",
                  )
                }
              />
            </div>
            <Rows
              rows={data}
              idOf={(lead) => `${lead.captured_at} ${lead.email}`}
              columns={[
                { title: w.asked, cell: (lead) => dateTime(lead.captured_at) },
                { title: w.name, cell: (lead) => lead.name ?? "" },
                { title: w.leads.email, cell: (lead) => <a href={`mailto:${lead.email}`}>{lead.email}</a> },
                { title: w.question, cell: (lead) => lead.other_data.question },
              ]}
            />
          </section>
        )
      }
    </Loaded>
  );
}
