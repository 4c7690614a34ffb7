// What the service answers, as far as its pages read it (/openapi.json has all of it).

export interface User {
  id: number;
  name: string;
  email: string | null;
  profile_photo_url: string | null;
}

export interface SignIn {
  signed_in: boolean;
  has_keys: boolean;
  command: string | null;
  version: string;
  key_id: number | null;
  user: User | null;
  /** Who it is, where it is a person and no key alone. */
  person: { id: number; name: string; role: string; agents: { project_id: number | null; rights: string[] }[] } | null;
  project_ids: number[];
  plan: string | null;
  features: string[];
  /** The host of the provider that signs people in, if there is one. */
  provider: string | null;
  /** How this browser may sign in without asking its user. */
  offers: string[];
}

export interface Agent {
  id: number;
  project_name: string;
  sitemap_path: string | null;
  is_chat_active: boolean;
  index_state: string;
  is_master: boolean;
  is_shared: boolean;
  shareable_slug: string | null;
  shareable_link: string | null;
  embed_code: string | null;
  live_chat_code: string | null;
  are_licenses_allowed: boolean;
  child_project_ids?: number[];
  created_at: string;
  updated_at: string;
  [option: string]: unknown;
}

export interface Stats {
  pages_found: number;
  pages_crawled: number;
  pages_indexed: number;
  query_credits_used: number;
  total_queries: number;
  total_words_indexed: number;
  total_storage_credits_used: number;
}

export interface List<T> {
  current_page: number;
  data: T[];
  last_page: number;
  per_page: number;
  total: number;
  from: number | null;
}

export type Status = "queued" | "ok" | "failed" | "n/a" | "limited";

export interface Page {
  id: number;
  page_url: string;
  crawl_status: Status;
  index_status: Status;
  status_reason: string | null;
  reason_code?: string;
  reason_arguments?: string[];
  /** The option of the agent that was off, and with which it may be read. */
  status_option?: string;
  is_file: boolean;
  is_file_kept?: boolean;
  is_refreshable: boolean;
  filename?: string | null;
  filesize?: number | null;
  created_at: string;
  updated_at: string;
}

export interface Metadata {
  id: number;
  page_id: number;
  url: string | null;
  title: string | null;
  description: string | null;
  image: string | null;
  word_count: number | null;
  dated_at: string | null;
  review_at: string | null;
}

export interface Progress {
  total: number;
  done: number;
  queued: number;
  fetching: number;
  reading: number;
  sources: number;
  failed: number;
  limited: number;
  per_minute: number | null;
  seconds_left: number | null;
  pages: {
    id: number;
    name: string;
    state: "reading" | "waiting";
    reason: string | null;
    reason_code?: string;
    reason_arguments?: string[];
    next_try_at: string | null;
  }[];
  /** How far passages are found by meaning too; missing where nobody makes vectors. */
  meaning?: { passages: number; ready: number; seconds_left: number | null };
}

export interface Label {
  id: number;
  name: string;
  users: string[];
  created_at: string;
}

export interface Conversation {
  id: number;
  session_id: string;
  name: string;
  created_at: string;
  updated_at: string;
  questions: number;
  unanswered: number;
  disliked: number;
  request_source: string;
}

/** A sentence where it stands, and the day of its document. */
export interface Stated {
  page_id: number;
  title: string | null;
  text: string;
  dated_at: string | null;
}
/** What an answer says, and what another document says. */
export interface Conflict {
  said: Stated;
  other: Stated;
}

export interface Message {
  id: number;
  user_query: string;
  llm_response: string;
  citations: number[] | null;
  metadata: { user_ip: string; user_agent: string; external_id: string; request_source: string };
  /** It is being written: what there is, is as far as it has come. */
  is_running?: boolean;
  response_feedback: { reaction: string } | null;
  closest_passages?: ClosestPassage[];
  /** The document of the closest passage that was it. */
  found_page_id?: number;
  child_project_id?: number;
  /** Of an answer that a person has checked. */
  conflicts?: Conflict[];
  verified?: { answer_id: number; version: number; by: string | null; at: string };
  created_at: string;
  customer_intelligence?: {
    language: string | null;
    question_kind: string | null;
    answer_kind: string | null;
    is_answered: boolean;
    outcome: "answer" | "closest" | "nothing";
  };
}

export interface Place {
  page_id: number;
  page_no: number | null;
  second: number | null; // of a recording
  offset: number;
  length: number;
}

/** What comes near where nothing answers for sure. */
export interface ClosestPassage extends Place {
  excerpt: string;
}

export interface Claim {
  claim: string;
  status: "supported" | "unsupported" | "unverifiable";
  sources: number[];
  reason: string;
  places: Place[];
}

export interface Block {
  type: "heading" | "paragraph" | "list" | "table" | "code";
  page_no: number | null;
  second: number | null; // of a recording
  offset: number;
  length: number;
  text: string;
}

/** A part of a document's text. */
export interface TextWindow {
  blocks: Block[];
  next_from: number | null;
}

export interface PageText extends TextWindow {
  page_id: number;
  title: string | null;
  format: string;
  pages: number | null;
  /** Its pages can be looked at. */
  has_pictures: boolean;
  words: number;
  bytes: number;
  from: number;
}

export interface PageWords {
  page_id: number;
  page_no: number;
  pages: number;
  /** Boxes are in so many parts of the page's sides: left, top, right, bottom. */
  units: number;
  words: { text: string; line: number; box: number[] }[];
  /** Of each place that was asked for, which words it is. */
  marks: { offset: number; length: number; words: number[] }[];
}

export interface Passage {
  page_no: number | null;
  offset: number;
  length: number;
  heading: string | null;
  text: string;
}
