// What visitors see of the documents that answers cite: exactly what the agent's owner lets them see, on the wire.
import { assert, start, test } from "./lib/harness.mjs";
import { lighthouse } from "./lib/documents.mjs";
import { typedPdf } from "./lib/print.mjs";

const PAGES = 9;
const secret = (n) => `The word of page ${n} is zorgel${n * 111}.`;
const filler = (i) =>
  Array.from({ length: 12 }, (_, k) => `Rule ${i + 1}.${k + 1}: boats of class ${i * 31 + k} moor at pier ${k + 2}.`);
const handbook = typedPdf(
  Array.from({ length: PAGES }, (_, i) => [
    `Chapter ${i + 1}`,
    ...filler(i),
    secret(i + 1),
    ...(i === 4 ? ["The harbour master of Velmora is Isolde Fenwick."] : []),
    ...filler(i + 20),
  ]),
);
const question = "Who is the harbour master of Velmora?";

async function open(t, settings) {
  const kb = await start(t);
  const agent = await kb.agent({
    project_name: "Harbour",
    files: {
      "Secret Name 2024.pdf": handbook,
      "lighthouse.md": `${lighthouse}\n${"Filler of the file. ".repeat(400)}\n\nThe end is blorp.`,
    },
  });
  await agent.expect(200, "POST", "/settings", { json: { is_pdf_viewer: true, ...settings } });
  const { shareable_slug: slug } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  return { kb, agent, slug };
}

/** Somebody's browser, and what they asked. */
async function visit(kb, slug, prompt = question) {
  const path = `/public/v1/agents/${slug}`;
  const begun = await kb.api("POST", `${path}/visit`, {
    plain: true,
    key: null,
    json: {},
    headers: { "x-docent-visitor": "1" },
  });
  const cookie = begun.headers["set-cookie"][0].split(";")[0];
  const call = (method, rest, options = {}) =>
    kb.api(method, path + rest, { plain: true, key: null, ...options, headers: { "x-docent-visitor": "1", cookie } });
  const reply = await call("POST", "/messages", { json: { prompt } });
  const last = JSON.parse([...reply.text.matchAll(/^data: (.*)$/gm)].at(-1)[1]);
  const source = last.sources[0];
  const at = `/conversations/${last.session_id}/messages/${last.id}/sources/${source.id}`;
  return { call, last, source, at };
}

test("with limited visibility nothing beyond the cited page and its neighbours leaves, by any route", async (t) => {
  const { kb, slug } = await open(t, { is_pdf_page_visibility_limited: true });
  const { call, source, at } = await visit(kb, slug);
  const cited = source.places.map((place) => place.page_no);
  const seen = Array.from({ length: PAGES }, (_, i) => i + 1).filter((no) => cited.some((n) => Math.abs(n - no) < 2));
  assert.ok(cited.includes(5) && seen.length < PAGES, `${cited}`);
  const replies = [];
  for (let no = 0; no <= PAGES + 1; no++)
    for (const rest of [`/view/${no}`, `/view/${no}/words`]) {
      const reply = await call("GET", at + rest, { query: { marks: "0:100000" } });
      assert.equal(reply.status, seen.includes(no) ? 200 : 404, `${rest}: ${reply.text.slice(0, 200)}`);
      replies.push(reply.text);
    }
  const text = (await call("GET", `${at}/text`, { query: { length: 1000000 } })).data;
  assert.deepEqual([text.visible, text.pages, text.has_file], [seen, null, false]);
  assert.deepEqual([...new Set(text.blocks.map((block) => block.page_no))], seen);
  assert.equal((await call("GET", `${at}/file`)).status, 404);
  for (const from of [0, 50, 100, 200, 400]) replies.push((await call("GET", `${at}/text`, { query: { from } })).text);
  const wire = replies.join("\n") + JSON.stringify(text);
  for (let no = 1; no <= PAGES; no++)
    assert.equal(wire.includes(secret(no).split(" ").at(-1)), seen.includes(no), `${no}`);
});

test("the label of a limited document leads to the address that its owner names, if that is another", async (t) => {
  const { kb, agent, slug } = await open(t, { is_pdf_page_visibility_limited: true });
  const { call, source, at } = await visit(kb, slug);
  const labelled = async (settings, url) => {
    await agent.expect(200, "POST", "/settings", { json: settings });
    await agent.expect(200, "PUT", `/pages/${source.id}/metadata`, { json: { url } });
    return (await call("GET", `${at}/text`, { query: { length: 0 } })).data.label_url;
  };
  assert.equal(await labelled({}, "https://shop.example/handbook"), null);
  const linked = { is_pdf_limited_label_linked: true };
  assert.equal(await labelled(linked, "https://shop.example/handbook"), "https://shop.example/handbook");
  assert.equal(await labelled(linked, null), null);
  assert.equal(await labelled({ ...linked, is_anonymize_pdfs: true }, "https://shop.example/handbook"), null);
});

test("of a document without pages there is what stands around the quote", async (t) => {
  const { kb, slug } = await open(t, { is_pdf_page_visibility_limited: true });
  const { call, at } = await visit(kb, slug, "Who built the Velmora lighthouse?");
  const text = (await call("GET", `${at}/text`, { query: { length: 1000000 } })).data;
  assert.ok(text.blocks.some((block) => block.text.includes("Hester Quillby")));
  assert.ok(!JSON.stringify(text).includes("blorp"));
  assert.equal((await call("GET", `${at}/file`)).status, 404);
});

test("an anonymous PDF has pages, and neither name nor file", async (t) => {
  const { kb, slug } = await open(t, { is_anonymize_pdfs: true });
  const { call, last, at } = await visit(kb, slug);
  const text = await call("GET", `${at}/text`);
  const words = await call("GET", `${at}/view/9/words`);
  assert.deepEqual([text.data.title, text.data.pages, text.data.has_file], [null, PAGES, false]);
  assert.equal((await call("GET", `${at}/view/9`)).status, 200);
  assert.equal((await call("GET", `${at}/file`)).status, 404);
  assert.doesNotMatch(JSON.stringify(last) + text.text + words.text, /Secret Name|\.pdf|s3_path|project-\d/);
});

test("without limits all of it is there; without the viewer, or for somebody else, nothing", async (t) => {
  const { kb, agent, slug } = await open(t, {});
  const one = await visit(kb, slug);
  const routes = ["/text", "/view/1", "/view/9/words", "/file"];
  for (const rest of routes) assert.equal((await one.call("GET", one.at + rest)).status, 200, rest);
  assert.deepEqual((await one.call("GET", `${one.at}/file`)).bytes, handbook);
  // A document that this answer does not cite, another visitor, a foreign conversation.
  const other = await agent.page("lighthouse.md");
  const two = await visit(kb, slug, "Who built the Velmora lighthouse?");
  for (const rest of routes) {
    assert.equal((await one.call("GET", one.at.replace(/\d+$/, other.id) + rest)).status, 404, rest);
    assert.equal((await two.call("GET", one.at + rest)).status, 404, rest);
  }
  await agent.expect(200, "POST", "/settings", { json: { is_pdf_viewer: false } });
  for (const rest of routes) assert.equal((await one.call("GET", one.at + rest)).status, 404, rest);
  await agent.expect(200, "POST", "/settings", { json: { is_pdf_viewer: true } });
  await agent.expect(200, "POST", "", { json: { is_shared: false } });
  for (const rest of routes) assert.equal((await one.call("GET", one.at + rest)).status, 404, rest);
});
