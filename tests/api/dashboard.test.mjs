// What the dashboard is served and asks for beside what every client uses.
import { assert, form, start, test, until } from "./lib/harness.mjs";
import { request } from "./lib/http.mjs";
import { lighthouse } from "./lib/documents.mjs";
import { mayFetch, site } from "./lib/site.mjs";

/** The shell and the files that it names. */
async function shell(kb) {
  const page = await request(`${kb.url}/login`);
  const files = [...page.text.matchAll(/"(\/web\/[^"]+)"/g)].map((match) => match[1]);
  return { page, files };
}

test("a page of the dashboard holds no data, forbids all that is foreign, and is known by its tag", async (t) => {
  const kb = await start(t);
  const { page } = await shell(kb);
  assert.equal(page.status, 200);
  const policy = page.headers["content-security-policy"];
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ])
    assert.ok(policy.includes(rule), rule);
  assert.ok(!/unsafe|nonce|https?:/.test(policy));
  assert.ok(!/<script(?![^>]*\bsrc=)|<style|style=|\son\w+=/.test(page.text), "nothing inline");
  for (const path of ["/", "/agents", "/agents/1", "/agents/1/ask", "/keys"]) {
    const reply = await request(kb.url + path, { headers: { "if-none-match": page.headers.etag } });
    assert.equal(reply.status, 304, path);
    assert.equal(reply.bytes.length, 0);
  }
});

test("its files keep for ever under their names and come packed where that is taken", async (t) => {
  const kb = await start(t);
  const { files } = await shell(kb);
  assert.ok(files.length >= 2, "a script and a style");
  for (const file of files) {
    const plain = await request(kb.url + file);
    assert.equal(plain.status, 200, file);
    assert.match(plain.headers["cache-control"], /immutable/);
    assert.equal(plain.headers["content-encoding"], undefined);
    assert.equal(plain.headers["x-content-type-options"], "nosniff");
    const packed = await request(kb.url + file, { headers: { "accept-encoding": "gzip;q=0.5, br;q=0" } });
    assert.equal(packed.headers["content-encoding"], "gzip", file);
    assert.ok(packed.bytes.length < plain.bytes.length);
    const refused = await request(kb.url + file, { headers: { "accept-encoding": "gzip;q=0, *;q=0" } });
    assert.equal(refused.headers["content-encoding"], undefined);
  }
  assert.equal((await request(`${kb.url}/web/none.js`)).status, 404);
});

test("the progress is cheap to ask for again: nothing comes while nothing changes", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "lighthouse.md": lighthouse } });
  const first = await agent.api("GET", "/progress");
  const counts = { total: 1, done: 1, queued: 0, fetching: 0, reading: 0, sources: 0, failed: 0, limited: 0 };
  assert.deepEqual(first.data, { ...counts, per_minute: null, seconds_left: null, pages: [] });
  const same = await agent.api("GET", "/progress", { headers: { "if-none-match": first.headers.etag } });
  assert.deepEqual([same.status, same.bytes.length], [304, 0]);
  await agent.expect(200, "POST", "", { form: form({}, { "broken.pdf": "%PDF-1.7\nno more of it" }) });
  const changed = await until("the document to fail", async () => {
    const reply = await agent.api("GET", "/progress", { headers: { "if-none-match": first.headers.etag } });
    return reply.status === 200 && reply.data.failed === 1 && reply.data;
  });
  assert.deepEqual([changed.total, changed.done], [2, 1]);
});

test("the progress comes as events too, with the pace and the time that is left, until the agent goes", async (t) => {
  const kb = await start(t, { env: { ...mayFetch.env, DOCENT_HOST_PAUSE: "150" } });
  const web = await site(t);
  const paths = Array.from({ length: 40 }, (_, i) => `/page-${i}`);
  for (const path of paths) web.page(path, path, `The parcel of ${path} is in hall ${path.length}.`);
  web.sitemap("/sitemap.xml", paths);
  const agent = await kb.agent();
  const reply = await fetch(`${kb.url}/api/v1/projects/${agent.id}/progress`, {
    headers: { authorization: `Bearer ${kb.key}`, accept: "text/event-stream" },
  });
  assert.equal(reply.headers.get("content-type"), "text/event-stream");
  await agent.expect(201, "POST", "/sources", { form: form({ sitemap_path: `${web.url}/sitemap.xml` }) });

  const seen = [];
  let text = "",
    gone = false;
  for await (const bytes of reply.body) {
    text += Buffer.from(bytes).toString();
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const frame = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end));
      if (!frame) continue; // a line that keeps it open
      seen.push({ event: frame[1], ...JSON.parse(frame[2]) });
      if (!gone && seen.at(-1).done === 40) {
        gone = true;
        await agent.expect(200, "DELETE");
      }
    }
  }
  const last = seen.pop();
  assert.deepEqual([last.event, last.code], ["error", 404]);
  assert.deepEqual([seen[0].total, seen.at(-1).total], [0, 40]);
  const done = seen.map((one) => one.done);
  assert.deepEqual(
    done.toSorted((a, b) => a - b),
    done,
  );
  for (const one of seen) assert.equal(one.fetching + one.reading, one.queued);
  const paced = seen.filter((one) => one.per_minute !== null);
  assert.ok(paced.length, "the pace becomes known");
  for (const one of paced) {
    // What is left, at that pace; both are rounded.
    const at = (pace) => (one.queued * 60) / pace;
    assert.ok(one.per_minute > 0, JSON.stringify(one));
    assert.ok(one.seconds_left >= at(one.per_minute + 0.5) - 1, JSON.stringify(one));
    assert.ok(one.seconds_left <= at(Math.max(one.per_minute - 0.5, 0.1)) + 2, JSON.stringify(one));
  }
});

test("a waiting document is named with its reason and its next try", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  // Nobody listens there, and the service may ask: it is tried again later.
  await agent.expect(201, "POST", "/sources", { json: { sitemap_path: "http://127.0.0.1:9/a.html" } });
  const { pages } = await agent.expect(200, "GET", "/progress");
  for (const page of pages) {
    assert.equal(page.name, "http://127.0.0.1:9/a.html");
    assert.ok(["reading", "waiting"].includes(page.state));
  }
});

test("a document's text comes in windows that lead on, and places of an answer stand in it", async (t) => {
  const kb = await start(t);
  const long = Array.from(
    { length: 400 },
    (_, i) => `## Part ${i}\n\nThe tower of part ${i} is ${i + 10} metres high.\n`,
  ).join("\n");
  const agent = await kb.agent({ files: { "towers.md": `# Towers\n\nDie Höhe zählt.\n\n${long}` } });
  const page = await agent.page("towers.md");
  const blocks = [];
  let from = 0,
    windows = 0;
  while (from !== null) {
    const text = await agent.expect(200, "GET", `/pages/${page.id}/text`, { query: { from, length: 3000 } });
    blocks.push(...text.blocks.filter((block) => !blocks.some((other) => other.offset === block.offset)));
    from = text.next_from;
    windows++;
  }
  assert.ok(windows > 5);
  const whole = Buffer.from(blocks.map((block) => block.text).join("\n"));
  for (const block of blocks)
    assert.equal(whole.subarray(block.offset, block.offset + block.length).toString(), block.text);
  const message = await agent.ask("How high is the tower of part 321?");
  const { claims } = await agent.expect(200, "GET", `/conversations/${message.session}/messages/${message.id}/claims`);
  assert.ok(claims.length);
  for (const claim of claims)
    for (const place of claim.places) {
      assert.equal(place.page_id, page.id);
      assert.equal(whole.subarray(place.offset, place.offset + place.length).toString(), claim.claim);
    }
  assert.equal((await agent.api("GET", `/pages/${page.id}/text`, { query: { from: "x" } })).status, 400);
});

test("the passages of a document are what its text is cut into", async (t) => {
  const kb = await start(t);
  const long = Array.from({ length: 60 }, (_, i) => `## Part ${i}\n\n${`Tower ${i} is high. `.repeat(40)}\n`).join(
    "\n",
  );
  const agent = await kb.agent({ files: { "towers.md": `# Towers\n\n${long}` } });
  const page = await agent.page("towers.md");
  const { blocks } = await agent.expect(200, "GET", `/pages/${page.id}/text`, { query: { length: 1 << 20 } });
  const whole = Buffer.from(blocks.map((block) => block.text).join("\n"));
  const first = await agent.expect(200, "GET", `/pages/${page.id}/passages`, { query: { limit: 7 } });
  const second = await agent.expect(200, "GET", `/pages/${page.id}/passages`, { query: { limit: 7, page: 2 } });
  assert.ok(first.total >= 60 && first.data.length === 7 && first.to === 7 && second.from === 8);
  for (const { offset, length, text } of [...first.data, ...second.data])
    assert.equal(whole.subarray(offset, offset + length).toString(), text);
  assert.ok(second.data[0].offset > first.data.at(-1).offset);
  assert.deepEqual((await agent.expect(200, "GET", `/pages/${page.id}/passages`, { query: { page: 900 } })).data, []);
});

test("a master's reader sees the text of what its children are cited with, and nobody else's", async (t) => {
  const kb = await start(t);
  const child = await kb.agent({ files: { "lighthouse.md": lighthouse } });
  const other = await kb.agent({ files: { "other.md": "The vault opens with the word Zorgel." } });
  const master = await kb.agent({ is_master: "true" });
  await master.expect(200, "POST", "", { json: { child_project_ids: [child.id] } });
  const message = await master.ask("Who built the Velmora lighthouse?");
  const text = await master.expect(200, "GET", `/pages/${message.citations[0]}/text`);
  assert.ok(text.blocks.some((block) => block.text.includes("Hester Quillby")));
  const foreign = await other.page("other.md");
  assert.equal((await master.api("GET", `/pages/${foreign.id}/text`)).status, 404);
});
