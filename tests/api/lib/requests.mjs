// Requests made from the description of the interface: a right one for a route, and wild ones.

/** The addresses of a route's variables, in order. */
export const variables = (path) => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);

/** The path with each variable replaced; a variable without a value is a mistake of the caller. */
export function fill(path, values) {
  return path.replace(/\{(\w+)\}/g, (_, name) => {
    if (values[name] === undefined)
      throw new Error(`no value for {${name}} of ${path}: teach the test what it stands for`);
    return values[name];
  });
}

/** What a member of a request must hold so that nothing but the right to ask can be wrong. */
const sensible = {
  project_name: "Crossed",
  name: "Crossed",
  prompt: "What is in the documents?",
  messages: [{ role: "user", content: "What is in the documents?" }],
  history: [{ user_query: "What was here?", llm_response: "A lighthouse.", created_at: "2026-01-01T00:00:00Z" }],
  image: "https://docent.invalid/i.png",
  url: "https://docent.invalid/",
  names: ["crossed"],
  label_ids: [],
  users: [],
  version: 1,
  role: "member",
  email: undefined,
  sitemap_path: undefined,
  stream: false,
  session_id: undefined,
  image_extraction_type: "none",
  model: "m",
  query: "What is in the documents?",
  limit: 3,
  mode: "words",
  is_ocr_enabled: 0,
  reaction: "liked",
  lang: "en",
  chatbot_model: undefined,
  response_source: "default",
  agent_capability: "optimal-choice",
  child_project_id: undefined,
  child_project_ids: undefined,
  model_name: "crossed",
  human_name: "Crossed",
  logo: "https://docent.invalid/l.png",
  are_licenses_allowed: true,
  profile_photo: undefined,
  data_refresh_frequency: "weekly",
  refresh_existing_pages: "if_updated",
  refresh_schedule: [{ days: [1], hours: ["07:30"] }],
};

/** The query without which a route answers 400. */
export const rightQuery = (operation) =>
  operation.parameters.some((p) => p.in === "query" && p.name === "query") ? { query: sensible.query } : undefined;

const byType = { string: "text", integer: 1, number: 1, boolean: false, array: [], object: {} };

/** A body that the route takes, or undefined where it takes none. */
export function rightBody(description, operation) {
  const schema = operation.requestBody?.content?.["application/json"]?.schema;
  if (!schema) return undefined;
  const body = {};
  for (const [name, member] of Object.entries(description.resolve(schema).properties ?? {})) {
    if (name in sensible) {
      if (sensible[name] !== undefined) body[name] = sensible[name];
    } else if (!name.startsWith("file")) {
      const type = [].concat(description.resolve(member).type ?? "string")[0];
      body[name] = byType[type];
    }
  }
  return body;
}

const odd = [
  null,
  true,
  false,
  0,
  -1,
  1,
  2,
  1.5,
  1e308,
  -1e308,
  9007199254740993,
  "",
  " ",
  "true",
  "0",
  "x",
  "x".repeat(300),
  "é".repeat(9000),
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u202e\u2066",
  "../../etc/passwd",
  "' OR 1=1 --",
  "%s%n%x",
  "<script>",
  [],
  [[]],
  {},
  { a: { b: [null] } },
  ["a", 1, null],
  "999999999999999999999",
  "-0",
  "1e5",
  "NaN",
];

function deep(random) {
  let value = random.pick(odd);
  for (let i = random.int(60); i > 0; i--)
    value = random() < 0.5 ? [value] : { [random.pick(["a", "messages", "content"])]: value };
  return value;
}

function wildValue(random) {
  const kind = random();
  if (kind < 0.6) return random.pick(odd);
  if (kind < 0.7) return deep(random);
  if (kind < 0.8) return Array.from({ length: random.int(40) }, () => random.pick(odd));
  if (kind < 0.9)
    return String.fromCodePoint(
      ...Array.from({ length: random.int(30) }, () =>
        random.pick([
          32 + random.int(95),
          0x80 + random.int(0x700),
          0x4e00 + random.int(0x5000),
          0x1f600 + random.int(60),
        ]),
      ),
    );
  return Array.from({ length: 1 + random.int(3) }, () => ({
    role: random.pick(["user", "system", "assistant", "x", null]),
    content: random.pick([
      "Hello",
      "",
      null,
      [{ type: "text", text: "Hello" }],
      [{ type: random.pick(odd) }],
      random.pick(odd),
    ]),
  }));
}

/** Members of the route's own, some of them right, and a few that it does not know. */
function wildObject(random, description, operation) {
  const right = rightBody(description, operation) ?? {};
  const names = [
    ...Object.keys(right),
    "stream",
    "session_id",
    "external_id",
    "n",
    "tools",
    "labels",
    "lang",
    "sub_personas",
  ];
  const body = random() < 0.5 ? { ...right } : {};
  for (let i = random.int(6); i > 0; i--)
    body[random() < 0.85 ? random.pick(names) : `unknown_${random.int(9)}`] = wildValue(random);
  return body;
}

const breakText = (random, text) => {
  const at = random.int(text.length + 1);
  return random.pick([
    text.slice(0, at),
    text.slice(at),
    `${text.slice(0, at)}\u0001${text.slice(at)}`,
    `${text}}`,
    `${text.slice(0, at)},${text.slice(at)}`,
  ]);
};

/** One wild body: { body, type }. */
export function wildBody(random, description, operation) {
  const json = () => JSON.stringify(wildObject(random, description, operation));
  const type = "application/json";
  const kind = random.int(12);
  if (kind < 5) return { body: json(), type };
  if (kind === 5) return { body: breakText(random, json()), type };
  if (kind === 6) {
    const bytes = Buffer.from(json());
    for (let i = 1 + random.int(4); i > 0 && bytes.length; i--) bytes[random.int(bytes.length)] = random.int(256);
    return { body: bytes, type };
  }
  if (kind === 7)
    return {
      body: Buffer.from(Array.from({ length: random.int(400) }, () => random.int(256))),
      type: random.pick([
        type,
        "text/plain",
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded",
        "x",
      ]),
    };
  if (kind === 8) {
    const [open, close] = random.pick([
      ["[", "]"],
      ['{"a":', "}"],
      ['{"messages":[', "]}"],
    ]);
    const n = 1 + random.int(random.pick([10, 3000, 60000]));
    return { body: open.repeat(n) + (random() < 0.5 ? "1" : "") + close.repeat(random() < 0.8 ? n : n - 1), type };
  }
  if (kind === 9)
    return {
      body: JSON.stringify({
        ...(rightBody(description, operation) ?? {}),
        filler: "x".repeat(random.pick([70_000, 1_100_000, 4_300_000])),
      }),
      type,
    };
  const object = wildObject(random, description, operation);
  const text = (value) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  if (kind === 10)
    return {
      body: Object.entries(object)
        .map(
          ([name, value]) =>
            `${encodeURIComponent(name)}=${random() < 0.2 ? "%ff%zz%" : encodeURIComponent(text(value).toWellFormed?.() ?? "x")}`,
        )
        .join("&"),
      type: "application/x-www-form-urlencoded",
    };
  const boundary = `b${random.int(1000)}`;
  const parts = Object.entries(object)
    .map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${random() < 0.2 ? '; filename="w.txt"' : ""}\r\n\r\n${text(value)}\r\n`,
    )
    .join("");
  return {
    body: `${parts}--${boundary}${random() < 0.9 ? "--" : ""}\r\n`,
    type: `multipart/form-data; boundary=${boundary}`,
  };
}

/** A query that may be anything. */
export function wildQuery(random, operation) {
  const names = operation.parameters.filter((p) => p.in === "query").map((p) => p.name);
  const values = [
    "",
    "1",
    "0",
    "-1",
    "asc",
    "x",
    "true",
    "%00",
    "%ff%fe",
    "99999999999999999999",
    "%F0%9F%98%80",
    "%zz",
    "*".repeat(300),
    "?".repeat(200),
    "a*b?c%25_",
    "%27%20OR%201=1",
    "2024-01-01",
    "all",
    "ok",
  ];
  return Array.from(
    { length: random.int(5) },
    () =>
      `${names.length && random() < 0.8 ? random.pick(names) : random.pick(["x", "page", "%00", ""])}=${random.pick(values)}`,
  ).join("&");
}

/** A path variable that may be anything. */
export const wildVariable = (random) =>
  random.pick([
    "0",
    "-1",
    "1",
    "999999",
    "abc",
    "1.5",
    "99999999999999999999",
    "9223372036854775807",
    "-9223372036854775808",
    "%00",
    "%ff",
    "a%2Fb",
    "..",
    ".",
    "%2e%2e",
    "x".repeat(200),
    "%E6%97%A5",
    "1%20",
    "+1",
    "0x1",
    "null",
    "b7e0f9d2-8f5b-4c11-9b1c-2f6f3f2f9a10",
    ":",
    "*",
    "%27",
  ]);
