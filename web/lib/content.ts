// An agent's content: what there is, where it is from, what needs its owner, and doing the same to many.
import { get, post, put } from "./api";
import { turnedOn, type Needed, type OptionName } from "./reading";
import { agent, readAgent } from "./state";
import type { List, Page } from "./types";
import { w } from "../words/dashboard";

export interface SourceSettings {
  data_refresh_frequency: string;
  create_new_pages: boolean;
  remove_unexist_pages: boolean;
  refresh_existing_pages: string;
  refresh_schedule: { days: number[]; hours: string[] }[];
  sitemap_path: string | null;
  executive_js: boolean;
  image_extraction_type: string;
  max_pages: number;
  max_depth: number;
  max_megabytes: number;
  max_minutes: number;
}

export interface Source {
  id: number;
  type: string;
  settings: SourceSettings;
  sync_status: string;
  sync_reason: string | null;
  reason_code?: string;
  reason_arguments?: string[];
  synced_at: string | null;
  next_sync_at: string | null;
  review_at: string | null;
  is_review_due: boolean;
  /** What it was taken for, and how far its reading is; of the first hundred. */
  kind?: keyof typeof w.kinds;
  page_count?: number;
  pages_waiting?: number;
}

export interface ContentPage extends Page {
  title: string;
  source_id: number;
  words: number;
  cited: number;
  dated_at: string | null;
  /** Its own, or that of its source. */
  review_at: string | null;
  is_review_due: boolean;
}

export interface NeedPage {
  id: number;
  title: string;
  source_id: number;
  filename?: string;
  status_option?: string;
  is_file: boolean;
  is_refreshable: boolean;
}

/** Documents with the same trouble. */
export interface Need {
  reason_code: string;
  reason_arguments?: string[];
  count: number;
  pages: NeedPage[];
}

export interface Content {
  total: number;
  ready: number;
  never_cited: number;
  uploads_id: number;
  origins: { source_id: number; amiss: number; unread: number; waiting: number }[];
  amiss: number;
  needs: Need[];
}

/** Which documents: as the service takes it, in a list and in a change. */
export interface Filter {
  search?: string;
  state?: string;
  kind?: string;
  sort?: string;
  source_id?: number;
  never_cited?: boolean;
}
export const kinds = ["pdf", "text", "word", "table", "slides", "mail", "picture", "web"] as const;
export const sorts = ["newest", "title", "changed", "cited", "words"] as const;

export const readContent = (id: number, signal?: AbortSignal) => get<Content>(`/projects/${id}/content`, {}, signal);
export const readSources = async (id: number, signal?: AbortSignal) =>
  (await get<{ sitemaps: Source[] }>(`/projects/${id}/sources`, {}, signal)).sitemaps;

/** A page of a list; titles come in their order, all else with the most or the newest first. */
export const readPages = (id: number, filter: Filter, page: number, limit: number, signal?: AbortSignal) =>
  get<List<ContentPage>>(
    `/projects/${id}/content/pages`,
    {
      ...filter,
      never_cited: filter.never_cited || undefined,
      order: filter.sort === "title" ? "asc" : undefined,
      page,
      limit,
    },
    signal,
  );

/** One of them; undefined: it is gone. */
export async function readPage(id: number, page: number, signal?: AbortSignal): Promise<ContentPage | undefined> {
  const { data } = await get<List<ContentPage>>(
    `/projects/${id}/content/pages`,
    { state: "all", after: page - 1, order: "asc", limit: 1 },
    signal,
  );
  return data.find((one) => one.id === page);
}

interface Changed {
  done: number;
  skipped: number;
  next: number | null;
  /** Those that were changed. */
  page_ids: number[];
}

/** Does it to all that fit, or to those that are named, step by step. */
export async function changeMany(
  id: number,
  action: "delete" | "reindex",
  which: Filter | { page_ids: number[] },
  told: (done: number) => void = () => {},
): Promise<{ done: number; skipped: number; page_ids: number[] }> {
  const page_ids: number[] = [];
  let done = 0,
    skipped = 0;
  for (let after: number | null = 0; after !== null;) {
    const step: Changed = await post<Changed>(`/projects/${id}/content/change`, { action, ...which, after });
    done += step.done;
    skipped += step.skipped;
    page_ids.push(...step.page_ids);
    after = step.next;
    told(done);
  }
  return { done, skipped, page_ids };
}

/** Sets an option of the agent. */
export async function setOption(id: number, name: OptionName, value: unknown) {
  await post(`/projects/${id}`, { [name]: value });
  await readAgent(id);
}

/** Turns on what these documents lacked, and reads them again. */
export async function readWith(id: number, option: Needed, pageIds: number[]) {
  if (!agent.value?.[option]) await setOption(id, option, turnedOn[option]);
  await changeMany(id, "reindex", { page_ids: pageIds });
}

export const readSourceNow = (id: number, source: number) => put(`/projects/${id}/sources/${source}/instant-sync`);
