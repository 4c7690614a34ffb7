// What was deleted and can be taken back: documents of an agent, agents.
import { get, post, remove } from "./api";
import { attempt, tell } from "./state";
import type { List } from "./types";
import { w } from "../words/dashboard";

export interface Deleted {
  id: number;
  name: string;
  deleted_at: string;
  gone_at: string;
}

/** So many of them are shown; what was deleted last comes first. */
const ROWS = 100;

type Page = Omit<Deleted, "name"> & { title: string };
export async function deletedPages(id: number, signal?: AbortSignal) {
  const { data, total } = await get<List<Page>>(`/projects/${id}/deleted`, { limit: ROWS }, signal);
  return { rows: data.map((page): Deleted => ({ ...page, name: page.title })), total };
}

type Agent = Omit<Deleted, "name"> & { project_name: string };
export async function deletedAgents(signal?: AbortSignal) {
  const agents = await get<Agent[]>("/deleted-projects", {}, signal);
  return { rows: agents.map((agent): Deleted => ({ ...agent, name: agent.project_name })), total: agents.length };
}

export const restorePage = (id: number, page: number) => post(`/projects/${id}/deleted/${page}/restore`);
export const forgetPage = (id: number, page: number) => remove(`/projects/${id}/deleted/${page}`);
export const restoreAgent = (id: number) => post(`/deleted-projects/${id}/restore`);

/** So many come back in one request. */
const AT_ONCE = 100;

/** Brings them back as far as that can be done, and tells how many. */
async function restoreMany(id: number, pages: number[]) {
  let back = 0;
  for (let i = 0; i < pages.length; i += AT_ONCE) {
    const page_ids = pages.slice(i, i + AT_ONCE);
    back += (await post<{ done: number }>(`/projects/${id}/deleted/restore`, { page_ids })).done;
  }
  return back;
}

/** Brings all documents back that can come back; tells how many. What went last comes first. */
export async function restoreAllPages(id: number) {
  let all = 0;
  for (let back = 1; back; all += back) {
    const { rows } = await deletedPages(id);
    back = await restoreMany(
      id,
      rows.map((row) => row.id).sort((a, b) => a - b),
    );
  }
  return all;
}

/** Tells that they are gone, with a way back where the service keeps them. */
export async function tellDeleted(id: number, pages: number[], text: string, onBack: () => void) {
  const { rows } = await deletedPages(id).catch(() => ({ rows: [] as Deleted[] }));
  // The list has those that went last. Parts of a document come with it, or after it.
  const isKept = rows.some((row) => pages.includes(row.id));
  const undo = () =>
    attempt(async () => {
      try {
        tell(
          w.documentsBack(
            await restoreMany(
              id,
              [...pages].sort((a, b) => a - b),
            ),
          ),
        );
      } finally {
        onBack();
      }
    });
  tell(text, isKept ? { label: w.undo, run: () => void undo() } : undefined);
}
