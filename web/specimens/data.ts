// What the specimens show: a small shop. Requests are answered here; nothing is asked of a service.
import { newChatTurn, type ChatTurn, type Near, type Source } from "../lib/chat";
import type { Agent, Claim, PageText, PageWords, Place, Progress, SignIn } from "../lib/types";

const now = "2026-05-04T09:30:00Z";

export const agent: Agent = {
  id: 1,
  project_name: "Harbour Bikes",
  sitemap_path: null,
  is_chat_active: true,
  index_state: "ok",
  is_master: false,
  is_shared: true,
  shareable_slug: "harbour",
  shareable_link: null,
  embed_code: null,
  live_chat_code: null,
  are_licenses_allowed: false,
  created_at: now,
  updated_at: now,
};

export const signedIn: SignIn = {
  signed_in: true,
  has_keys: true,
  command: null,
  version: "1.0",
  key_id: 1,
  user: { id: 1, name: "Ann Fenwick", email: null, profile_photo_url: null },
  person: null,
  project_ids: [],
  plan: null,
  features: [],
  provider: null,
  offers: [],
};

export const progress: Progress = {
  sources: 1,
  total: 48,
  done: 31,
  queued: 17,
  fetching: 1,
  reading: 1,
  failed: 0,
  limited: 0,
  per_minute: 20,
  seconds_left: 51,
  pages: [
    { id: 4, name: "Price list of spare parts, spring.pdf", state: "reading", reason: null, next_try_at: null },
    {
      id: 5,
      name: "https://harbour.example/a/very/long/address/of/a/page/that/is/not/there/today.html",
      state: "waiting",
      reason: "The server answered 503.",
      next_try_at: new Date(Date.now() + 300_000).toISOString(),
    },
    { id: 6, name: "Opening hours.md", state: "waiting", reason: null, next_try_at: null },
  ],
};

const sentence = "A frame is guaranteed for ten years from the day of purchase, every other part for two.";
const before = "Warranty and returns";
const offset = before.length + 2;
const further = "A bicycle may be returned within 30 days if it has been ridden for less than 50 kilometres.";

export const text: PageText = {
  page_id: 7,
  title: "Warranty and returns.pdf",
  format: "pdf",
  pages: 2,
  has_pictures: true,
  words: 412,
  bytes: 2600,
  from: 0,
  blocks: [
    { type: "heading", page_no: 1, second: null, offset: 0, length: before.length, text: before },
    { type: "paragraph", page_no: 1, second: null, offset, length: sentence.length, text: sentence },
    { type: "list", page_no: 2, second: null, offset: 400, length: further.length, text: further },
    { type: "table", page_no: 2, second: null, offset: 600, length: 26, text: "Inspection | 79 crowns" },
    { type: "code", page_no: 2, second: null, offset: 700, length: 19, text: "serial: HB-2041-7Q" },
  ],
  next_from: 900,
};

export const places: Place[] = [
  { page_id: 7, page_no: 1, second: null, offset, length: sentence.length },
  { page_id: 7, page_no: 2, second: null, offset: 400, length: further.length },
];

export const sources: Source[] = [
  { id: 7, title: "Warranty and returns.pdf", url: "/api/v1/preview/7" },
  {
    id: 8,
    title: "Everything that is to be known of the care of chains, tyres, brakes and bearings at sea",
    url: "https://harbour.example/care",
  },
];

export const near: Near[] = [
  { passage: { ...places[0]!, excerpt: sentence }, source: sources[0]! },
  { passage: { ...places[1]!, page_id: 8, page_no: null, excerpt: further }, source: sources[1]! },
];

const claims: Claim[] = [
  { claim: sentence, status: "supported", sources: [7], reason: "", places: [places[0]!] },
  { claim: "Salt water is not covered.", status: "unsupported", sources: [8], reason: "", places: [] },
];

export const answer = `${sentence} Salt water is not covered.\n\n- Bring the **booklet**.\n- An inspection costs 79 crowns.`;

export function turn(of: Partial<{ state: ChatTurn["state"]["value"]; text: string; isCited: boolean }>): ChatTurn {
  const made = newChatTurn({ text: "How long is the guarantee of a frame?" });
  made.state.value = of.state ?? "done";
  made.text.value = of.text ?? "";
  if (of.isCited) {
    made.sources.value = sources;
    made.claims.value = claims;
    made.id.value = 12;
  }
  return made;
}

const lineOf = (words: string, line: number) =>
  words.split(" ").map((word, i) => ({
    text: word,
    line,
    box: [80 + i * 52, 120 + line * 40, 126 + i * 52, 140 + line * 40],
  }));

export const words: PageWords = {
  page_id: 7,
  page_no: 1,
  pages: 2,
  units: 1000,
  words: [...lineOf(before, 0), ...lineOf(sentence, 1)],
  marks: [{ offset, length: sentence.length, words: Array.from({ length: 16 }, (_, i) => i + 3) }],
};

/** A page with grey lines where its words are. */
export async function drawing(width = 700, height = 990): Promise<Blob> {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const to = canvas.getContext("2d")!;
  to.fillStyle = "#ffffff";
  to.fillRect(0, 0, width, height);
  to.fillStyle = "#5a635e";
  for (const { box } of words.words)
    to.fillRect(
      (box[0]! * width) / 1000,
      (box[1]! * height) / 1000 + 4,
      ((box[2]! - box[0]!) * width) / 1000,
      (((box[3]! - box[1]!) * height) / 1000) * 0.5,
    );
  return new Promise((done) => canvas.toBlob((blob) => done(blob!)));
}

const field = (name: string, more: object) => ({
  name,
  answer_name: name,
  section: "",
  type: "flag",
  form: "free",
  choices: [],
  min: 0,
  max: 0,
  max_items: 0,
  takes_null: false,
  requires: null,
  feature: null,
  locked: false,
  default: true,
  description: "",
  ...more,
});
/** One of each kind of control. */
const schema = [
  field("title_avatar_enabled", {}),
  field("remove_branding", { feature: "branding", locked: true, default: false }),
  field("is_in_chat_user_avatar_enabled", { requires: "user_avatar_enabled" }),
  field("user_avatar_enabled", { default: false }),
  field("chatbot_title", { type: "text", max: 50, takes_null: true, default: null }),
  field("chatbot_color", { type: "text", form: "color", max: 9, default: "#000000" }),
  field("radius_styling", { type: "text", form: "choice", choices: ["sharp", "soft", "round"], default: "soft" }),
  field("chat_bot_avatar", { type: "text", form: "image", takes_null: true, default: null }),
  field("example_questions", { type: "list", max: 100, max_items: 10, default: [] }),
  field("ai_disclaimer", { type: "text", max: 500, takes_null: true, default: null }),
  field("chatbot_msg_lang", { type: "text", form: "language", choices: ["en", "de", "ar"], default: "en" }),
];
export const settings: Record<string, unknown> = {
  ...Object.fromEntries(schema.map((each) => [each.name, each.default])),
  chatbot_title: "Ask Harbour Bikes",
  chatbot_color: "#0a5f57",
  example_questions: ["How long is the guarantee of a frame?", "How much does an inspection cost?"],
  try_asking_questions_msg: "Try asking",
  default_prompt: "What would you like to know?",
};

export const talks = [
  { session_id: "a", name: "How long is the guarantee of a frame?", created_at: now, updated_at: now },
  { session_id: "b", name: "Öffnungszeiten am Samstag", created_at: now, updated_at: now },
];

const leads = ["Ann Arbor", null].map((name, i) => ({
  session_id: "a",
  name,
  email: `person${i}@example.org`,
  captured_at: now,
  other_data: { question: "Do you rent tandems?" },
}));

type Reply = object | (() => Promise<Blob>);
const replies: [RegExp, Reply][] = [
  [/\/settings\/schema$/, schema],
  [/\/settings$/, settings],
  [/\/view\/\d+\/words$/, words],
  [/\/view\/\d+$/, () => drawing()],
  [/\/pictures\/wide$/, () => drawing(600, 260)],
  [/\/pictures\/\w+$/, () => drawing(300, 300)],
  [/\/text$/, { ...text, has_file: true, label_url: null, visible: null }],
  [/\/projects$/, { current_page: 1, data: [agent], last_page: 1, per_page: 10, total: 1, from: 1 }],
  [/\/projects\/1$/, agent],
  [/\/reports\/leads$/, { current_page: 1, data: leads, last_page: 1, per_page: 100, total: 2, from: 1 }],
  [/\/conversations$/, talks],
  [/\/visit$/, { name: null, token: null, work: null, session_id: null, is_new: false }],
];

/** From here on requests are answered by the table above, or by 404 with a sentence. */
export function answerRequests() {
  window.fetch = async (input) => {
    const { pathname } = new URL(String(input), location.href);
    const reply = replies.find(([path]) => path.test(pathname))?.[1];
    if (!reply) return Response.json({ message: `There is nothing at ${pathname}.` }, { status: 404 });
    if (typeof reply === "function") return new Response(await reply());
    return Response.json({ status: "success", data: reply });
  };
}
