import { useState } from "preact/hooks";
import { get } from "../lib/api";
import { csv, saveBlob } from "../lib/files";
import { dateTime } from "../lib/format";
import { useResource } from "../lib/resource";
import { attempt } from "../lib/state";
import type { List } from "../lib/types";
import { w } from "../words/dashboard";
import { Button } from "./Button";
import { Loaded } from "./Loaded";
import { Pager } from "./Pager";
import { Rows } from "./Table";

const SHOWN = 25,
  MOST = 100;

export interface Lead {
  session_id: string;
  name: string | null;
  email: string;
  captured_at: string;
  other_data: { question: string };
}

/** Visitors write it: what stands in it is no field of the letter. */
const letterTo = (email: string) => `mailto:${encodeURIComponent(email).replace("%40", "@")}`;

/** Addresses that visitors left for a person to answer them; nothing where there is none. */
export function Leads({ id }: { id: number }) {
  const [page, setPage] = useState(1);
  const read = (limit: number, page: number, signal?: AbortSignal) =>
    get<List<Lead>>(`/projects/${id}/reports/leads`, { limit, page }, signal);
  const leads = useResource((signal) => read(SHOWN, page, signal), [id, page]);
  /** All that there are, not those alone that are seen. */
  async function save() {
    const all: Lead[] = [];
    for (let page = 1, last = 1; page <= last; page++) {
      const { data, last_page } = await read(MOST, page);
      all.push(...data);
      last = last_page;
    }
    const rows = all.map((lead) => [lead.captured_at, lead.name, lead.email, lead.other_data.question]);
    saveBlob(csv([[w.asked, w.name, w.leads.email, w.question], ...rows]), "leads.csv");
  }
  return (
    <Loaded from={leads}>
      {(list) =>
        list.total > 0 && (
          <section class="card">
            <div class="split card-title">
              <h2>{w.leads.title}</h2>
              <span class="space" />
              <Button kind="quiet" icon="download" label={w.csvOf(w.leads.title)} onClick={() => void attempt(save)} />
            </div>
            <Rows
              rows={list.data}
              idOf={(lead) => `${lead.captured_at} ${lead.email}`}
              columns={[
                { title: w.asked, cell: (lead) => dateTime(lead.captured_at) },
                { title: w.name, cell: (lead) => lead.name ?? "" },
                {
                  title: w.leads.email,
                  cell: (lead) => <a href={letterTo(lead.email)}>{lead.email}</a>,
                },
                { title: w.question, cell: (lead) => lead.other_data.question },
              ]}
            />
            <Pager list={list} onPage={setPage} />
          </section>
        )
      }
    </Loaded>
  );
}
