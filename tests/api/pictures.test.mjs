// Pictures of what answers cite: which of them visitors are shown, and that nobody's browser asks a foreign host.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { assert, start, test } from "./lib/harness.mjs";
import { pngOf, typedPdf } from "./lib/print.mjs";
import { mayFetch, site } from "./lib/site.mjs";

const png = (side, grey = 120) => pngOf({ width: side, height: side, grey: Buffer.alloc(side * side, grey) });
const picture = (side, grey) => ({ "content-type": "image/png", body: png(side, grey) });
const question = "Who built the Velmora lighthouse?";
const filler = (word) => `<p>${`The harbour of Velmora has a ${word} pier for boats and ferries. `.repeat(4)}</p>`;

/** A page with a picture for itself, two in the section that answers, others elsewhere. */
const lighthouse = (more = "") => ({
  "content-type": "text/html",
  body: `<html><head><title>The lighthouse</title><meta property="og:image" content="/share.png"></head><body><main>
    <h1>The lighthouse of Velmora</h1>${filler("stone")}<img src="/coast.png" alt="The coast">
    <h2>Who built it</h2><p>The Velmora lighthouse was built in 1874 by the engineer Hester Quillby.</p>
    <figure><img src="/tower.png" alt="The tower in 1874"></figure><p>Its plans are kept in the town hall.</p>
    <img data-src="plans.png" src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><img src="/dot.gif" width="1" height="1">${more}
    <h2>Boats</h2>${filler("long")}<img src="/boat.png" alt="A boat"></main></body></html>`,
});

/** Somebody's browser. */
async function visit(kb, slug) {
  const path = `/public/v1/agents/${slug}`;
  const page = { "x-docent-visitor": "1" };
  const begun = await kb.api("POST", `${path}/visit`, { plain: true, key: null, json: {}, headers: page });
  const cookie = begun.headers["set-cookie"][0].split(";")[0];
  const call = (method, rest, options = {}) =>
    kb.api(method, path + rest, { plain: true, key: null, ...options, headers: { ...page, cookie } });
  const ask = async (prompt) => {
    const reply = await call("POST", "/messages", { json: { prompt } });
    const last = JSON.parse([...reply.text.matchAll(/^data: (.*)$/gm)].at(-1)[1]);
    return { last, at: `/conversations/${last.session_id}/messages/${last.id}`, wire: reply.text };
  };
  return { call, ask };
}

async function open(t, settings = {}, page = lighthouse()) {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  web.set("/lighthouse", page);
  for (const name of ["share", "coast", "tower", "plans", "boat"]) web.set(`/${name}.png`, picture(name.length * 20));
  const agent = await kb.agent({ project_name: "Harbour", sitemap_path: `${web.url}/lighthouse` });
  await agent.settled();
  await agent.expect(200, "POST", "/settings", { json: settings });
  const { shareable_slug: slug } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  const name = (path) =>
    createHash("sha256")
      .update(web.url + path)
      .digest("hex");
  return { kb, web, agent, slug, name, ...(await visit(kb, slug)) };
}

const shown = (reply, name) =>
  reply.data.map((p) => [
    ["/share.png", "/tower.png", "/plans.png", "/coast.png", "/boat.png"].find((path) => name(path) === p.id) ?? p.id,
    p.is_inline,
    p.text,
  ]);

test("the pictures of the cited section come from the service alone, and their host is asked once", async (t) => {
  const { call, ask, web, name, kb, slug } = await open(t);
  const { last, at, wire } = await ask(question);
  const list = await call("GET", `${at}/pictures`);
  assert.deepEqual(shown(list, name), [
    ["/tower.png", true, "The tower in 1874"],
    ["/plans.png", false, ""],
  ]);
  assert.ok(!/\.png|\.gif/.test(list.text + wire), "no foreign address");
  const source = `${at}/sources/${last.sources[0].id}`;
  const asked = () => web.log.filter(({ path }) => path.endsWith(".png")).length;
  const seen = await call("GET", `${source}/pictures/${name("/tower.png")}`);
  assert.equal(seen.status, 200);
  assert.equal(seen.headers["content-type"], "image/jpeg");
  assert.deepEqual([...seen.bytes.subarray(0, 3)], [0xff, 0xd8, 0xff], "decoded and written anew");
  assert.equal(seen.headers["x-content-type-options"], "nosniff");
  assert.match(seen.headers["content-security-policy"], /default-src 'none'; sandbox/);
  const again = await visit(kb, slug);
  const other = await again.ask(question);
  const twice = await again.call("GET", `${other.at}/sources/${last.sources[0].id}/pictures/${name("/tower.png")}`);
  assert.deepEqual(twice.bytes, seen.bytes);
  assert.equal(asked(), 1, "kept as a blob");
  const [{ headers }] = web.asked("/tower.png");
  assert.ok(!headers.cookie && !headers.referer);
  // What no cited section names, another visitor's answer, no picture at all.
  for (const id of [name("/boat.png"), name("/share.png"), name("/secret"), "0".repeat(64), "..%2f..", "1"])
    assert.equal((await call("GET", `${source}/pictures/${id}`)).status, 404, id);
  assert.equal((await again.call("GET", `${source}/pictures/${name("/tower.png")}`)).status, 404);
  assert.equal((await again.call("GET", `${at}/pictures`)).status, 404);
  assert.equal(asked(), 1, "none of these was fetched");
});

test("each setting of pictures changes which are shown", async (t) => {
  const { call, ask, agent, name } = await open(t);
  const { at } = await ask(question);
  const rows = [
    [{ use_opengraph_image_citation: true }, ["tower in", "plans", "share"]],
    [{ use_opengraph_image_citation: true, image_citation_display: "first_only" }, ["tower in", "plans"]],
    [{ image_citation_display: "first_only", enable_citations: 1 }, ["tower"]],
    [{ image_citation_display: "default", enable_citations: 1 }, ["tower", "plans"]],
    [{ enable_citations: 2 }, ["tower in", "plans"]],
    [{ enable_citations: 3, max_inline_images_per_response: 0 }, ["tower in", "plans"]],
    [{ enable_citations: 0 }, []],
  ];
  for (const [settings, want] of rows) {
    await agent.expect(200, "POST", "/settings", {
      json: { use_opengraph_image_citation: false, image_citation_display: "default", ...settings },
    });
    const list = shown(await call("GET", `${at}/pictures`), name);
    assert.deepEqual(
      list.map(([path, within]) => path.slice(1, -4) + (within ? " in" : "")),
      want,
      JSON.stringify(settings),
    );
  }
});

test("what is no picture, too large, too small or behind a wall is not shown, and not asked for again and again", async (t) => {
  const bad = {
    "/page.png": { "content-type": "image/png", body: "<html><script>alert(1)</script>" },
    "/drawing.svg": { "content-type": "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
    "/bomb.png": {
      "content-type": "image/png",
      body: Buffer.from(pngOf({ width: 40, height: 40, grey: Buffer.alloc(1600) })).fill(0x7f, 16, 24),
    },
    "/cut.png": { "content-type": "image/png", body: png(90).subarray(0, 60) },
    "/large.png": { "content-type": "image/png", body: Buffer.concat([png(40), Buffer.alloc(6 << 20)]) },
    "/small.png": picture(8),
    "/gone.png": { status: 404 },
    "/inner.png": { status: 302, location: "http://10.1.2.3/x.png" },
    "/self.png": { status: 302, location: "http://[::1]:1/x.png" },
  };
  const section = (name) =>
    `<h2>Rule of ${name}</h2><p>The rule of ${name} says that ${name} boats moor at the ${name} pier at noon.</p><img src="/${name}">`;
  const words = Object.keys(bad).map((path) => path.slice(1).replace(".", "dot"));
  const body = `<html><head><title>Rules</title></head><body><main><h1>Rules of the harbour</h1>${Object.keys(bad)
    .map((path, i) => section(words[i]).replace(`src="/${words[i]}"`, `src="${path}"`))
    .join("")}</main></body></html>`;
  const { kb, slug, web, name } = await open(t, {}, { "content-type": "text/html", body });
  let { call, ask } = await visit(kb, slug);
  for (const [path, answer] of Object.entries(bad)) web.set(path, answer);
  for (const [i, path] of Object.keys(bad).entries()) {
    const { last, at } = await ask(`What does the rule of ${words[i]} say about ${words[i]} boats?`);
    const list = (await call("GET", `${at}/pictures`)).data;
    assert.ok(
      list.some((p) => p.id === name(path)),
      path,
    );
    for (let k = 0; k < 2; k++) {
      const reply = await call("GET", `${at}/sources/${last.sources[0].id}/pictures/${name(path)}`);
      assert.deepEqual([reply.status, reply.data.message], [404, "There is no picture to show"], path);
    }
    assert.equal(web.asked(path).length, 1, path);
    if (i % 5 === 4) ({ call, ask } = await visit(kb, slug)); // a visitor asks six questions a minute
  }
});

test("an address of the operator's own network is not asked for a picture", async (t) => {
  const inner = createServer((_, response) => response.end(png(64)));
  await new Promise((go) => inner.listen(0, "127.0.0.1", go));
  t.after(() => inner.close());
  let asked = 0;
  inner.on("request", () => asked++);
  const kb = await start(t);
  const address = `http://127.0.0.1:${inner.address().port}/x.png`;
  const agent = await kb.agent({
    files: {
      "a.md": `# Lighthouse\n\nThe Velmora lighthouse was built in 1874 by Hester Quillby.\n\n![tower](${address})\n`,
    },
  });
  const { shareable_slug: slug } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  const { call, ask } = await visit(kb, slug);
  const { last, at } = await ask(question);
  const [one] = (await call("GET", `${at}/pictures`)).data;
  assert.equal(one.id, createHash("sha256").update(address).digest("hex"));
  assert.equal((await call("GET", `${at}/sources/${last.sources[0].id}/pictures/${one.id}`)).status, 404);
  assert.equal(asked, 0);
});

test("the page of a PDF is its picture where the viewer shows it; a hidden document has none", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "a.pdf": typedPdf([["Rules", "No dogs."], ["The Velmora lighthouse was built in 1874 by Hester Quillby."]]),
    },
  });
  await agent.expect(200, "POST", "/settings", { json: { is_pdf_viewer: true, is_pdf_page_visibility_limited: true } });
  const { shareable_slug: slug } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  const { call, ask } = await visit(kb, slug);
  const { last, at } = await ask(question);
  const page = await agent.page("a.pdf");
  assert.deepEqual(
    last.sources[0].places.map((place) => place.page_no),
    [2],
    "of a passage that begins a page before",
  );
  assert.deepEqual((await call("GET", `${at}/pictures`)).data, [
    { page_id: page.id, id: null, page_no: 2, text: "", is_inline: false },
  ]);
  const source = `${at}/sources/${last.sources[0].id}`;
  assert.equal((await call("GET", `${source}/view/2`)).headers["content-type"], "image/jpeg");
  // The label comes after the answer: the answer stays, the document goes.
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["gold"] } });
  await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id] } });
  assert.deepEqual((await call("GET", `${at}/pictures`)).data, []);
  for (const rest of ["/view/2", "/view/2/words", "/text", "/file"])
    assert.equal((await call("GET", source + rest)).status, 404, rest);
  await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [] } });
  assert.equal((await call("GET", `${source}/view/2`)).status, 200);
  await agent.expect(200, "POST", "/settings", { json: { is_pdf_viewer: false } });
  assert.deepEqual((await call("GET", `${at}/pictures`)).data, []);
});
