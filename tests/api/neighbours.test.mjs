// What one account's documents cost others: nothing they would notice.
import { randomUUID } from "node:crypto";
import { deflateSync } from "node:zlib";
import { figure } from "./lib/figures.mjs";
import { assert, form, patient, start, test, until } from "./lib/harness.mjs";
import { seeded } from "./lib/util.mjs";

/** Client calls of another account: its key, and the words of `kb`. */
async function account(kb, name) {
  const key = await kb.newKey({ account: name });
  const call = (method, where, options = {}) => kb.api(method, where, { key, ...options });
  const must = async (status, ...args) => {
    const reply = await call(...args);
    assert.equal(reply.status, status, reply.text);
    return reply.data;
  };
  const agent = async (files = {}) => {
    const { id } = await must(201, "POST", "/projects", { form: form({ project_name: name }, files) });
    const pages = async () => (await must(200, "GET", `/projects/${id}/pages`)).pages.data;
    const settled = (ms) =>
      until(
        `the documents of ${name}`,
        async () => {
          const all = await pages();
          return all.every((page) => page.index_status !== "queued") && all;
        },
        ms,
        20,
      );
    const ask = (prompt, attached) =>
      call("POST", `/projects/${id}/conversations/${randomUUID()}/messages`, { form: form({ prompt }, attached) });
    return { id, pages, settled, ask };
  };
  return { call, agent };
}

/** One page with words in as many places: 40,000 take a reader of PDF half a minute and longer. */
function scattered(places, seed = 1) {
  const random = seeded(seed);
  const words = Array.from(
    { length: places },
    () => `1 0 0 1 ${random.int(20000)} ${random.int(20000)} Tm (${"abcdefgh"[random.int(8)]}) Tj`,
  );
  const content = deflateSync(Buffer.from(`BT /F1 6 Tf\n${words.join("\n")}\nET`));
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 20000 20000] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    Buffer.concat([
      Buffer.from(`<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n`),
      content,
      Buffer.from("\nendstream"),
    ]),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let out = Buffer.from("%PDF-1.4\n");
  const places_ = objects.map((object, i) => {
    const at = out.length;
    out = Buffer.concat([out, Buffer.from(`${i + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n")]);
    return at;
  });
  const table = places_.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  return Buffer.concat([
    out,
    Buffer.from(
      `xref\n0 6\n0000000000 65535 f \n${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${out.length}\n%%EOF\n`,
    ),
  ]);
}

const six = (make) => Object.fromEntries(Array.from({ length: 6 }, (_, i) => make(i)));
const answered = async (agent, prompt, words) => (await agent.ask(prompt)).data?.llm_response?.includes(words);

/** How long a small document of a third account takes to be found while two have uploaded these. */
async function third(t, files) {
  const kb = await start(t);
  for (const name of ["ann", "bob"]) await (await account(kb, name)).agent(files);
  const carol = await account(kb, "carol");
  const began = Date.now();
  const agent = await carol.agent({ "note.txt": "The narwhal has a long tusk." });
  await until(
    "the small document to be found",
    () => answered(agent, "What does the narwhal have?", "long tusk"),
    60_000,
    20,
  );
  return { kb, ms: Date.now() - began };
}

test("a small document is found within seconds while two accounts upload elements of 300,000 attributes", async (t) => {
  const attributes = Array.from({ length: 300_000 }, (_, i) => `a${i}=1`).join(" ");
  const { ms } = await third(
    t,
    six((i) => [`${i}.html`, `<!doctype html><p ${attributes}>Text ${i}.</p>`]),
  );
  assert.ok(ms < patient(5000), `it took ${ms} ms`);
});

test("and while they upload documents that take their whole time to read, for which no stop waits", async (t) => {
  const { kb, ms } = await third(
    t,
    six((i) => [`${i}.pdf`, scattered(60_000, i + 1)]),
  );
  assert.ok(ms < patient(5000), `it took ${ms} ms`);
  const began = Date.now();
  assert.equal(await kb.stop(), 0);
  assert.ok(Date.now() - began < patient(10_000), `the stop took ${Date.now() - began} ms`);
});

test("a small file in a message is read while another account's messages bring slow ones", async (t) => {
  const kb = await start(t);
  const ann = await (await account(kb, "ann")).agent();
  const bob = await (await account(kb, "bob")).agent();
  const slow = scattered(60_000);
  const held = Array.from({ length: 5 }, () => ann.ask("What is in it?", { "slow.pdf": slow }));
  const first = await Promise.race(held);
  assert.equal(first.status, 429, "the fifth of an account");
  assert.match(first.json.message, /the files of 4 messages of the account are being read/);
  for (let i = 0; i < 5; i++) {
    const { status, data, text } = await bob.ask("What is the total of the invoice?", {
      "invoice.txt": "The total of the invoice is 145.50 crowns.",
    });
    assert.equal(status, 200, text);
    assert.ok(data.llm_response.includes("145.50"));
  }
  await kb.kill9();
  await Promise.allSettled(held);
});

test("a text without an end of a sentence is indexed, and so is what is uploaded with it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  await agent.add({
    "x.txt": Buffer.alloc(17 << 20, "x"),
    "han.txt": "測試文件".repeat(1_500_000),
    "note.txt": "The narwhal has a long tusk.",
  });
  const pages = await agent.settled(60_000);
  assert.deepEqual(pages.map((page) => [page.filename, page.index_status]).sort(), [
    ["han.txt", "ok"],
    ["note.txt", "ok"],
    ["x.txt", "ok"],
  ]);
  assert.ok((await agent.ask("What does the narwhal have?")).llm_response.includes("long tusk"));
  await until(
    "their memory to be given back",
    async () => (await figure(kb, "resident_bytes")) < 150 << 20,
    30_000,
    100,
  );
});
