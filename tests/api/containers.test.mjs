// What is found inside a labelled document, or brought by a labelled source, is as closed as that: every kind
// of container, labelled before, while and after it is read, with what comes to it later. Asked by everybody
// who reads documents: strangers on the public page, keys with and without labels, search, MCP.
import { randomUUID } from "node:crypto";
import path from "node:path";
import { assert, docent, form, start, test, until } from "./lib/harness.mjs";
import { mayFetch, site } from "./lib/site.mjs";
import { Agent } from "./lib/service.mjs";
import { folder, unique } from "./lib/util.mjs";
import { zip } from "./lib/zip.mjs";

const PAGE = { "x-docent-visitor": "1" };
const env = { ...mayFetch.env, DOCENT_HOST_PAUSE: "5" };

/** A secret by its number: what stands in a document, who asks for it, and what nobody else may read. */
const secret = (n) => ({
  text: `The word of room ${unique(n)} is ${unique(1000 + n)}.`,
  question: `What is the word of room ${unique(n)}?`,
  word: unique(1000 + n),
});
/** Documents of a container: { name: text }. */
const members = (numbers) => Object.fromEntries(numbers.map((n) => [`room-${n}.txt`, secret(n).text]));

const mail = (files) =>
  [
    "From: Ada <ada@harbour.example>",
    "Subject: The rooms",
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "Please find the rooms attached.",
    ...Object.entries(files).flatMap(([name, text]) => [
      "--b",
      "Content-Type: text/plain",
      `Content-Disposition: attachment; filename=${name}`,
      "",
      text,
    ]),
    "--b--",
    "",
  ].join("\r\n");

/** Sends the file of a folder; gives its page. */
async function put(agent, name, value) {
  const source = await agent.expect(201, "POST", "/sources", {
    form: [
      { name: "path", value: name },
      { name: "file", filename: name, value },
    ],
  });
  return source.pages[0];
}

const onPage = (page) => async (agent, label_ids) =>
  agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids } });
const onSource = (source) => async (agent, label_ids) => {
  const after = await agent.expect(201, "PUT", `/sources/${source.id}`, { json: { label_ids } });
  assert.deepEqual(after.label_ids, label_ids);
};

/** A file that holds others. */
const file = (name, pack) => ({
  send: async ({ agent }, numbers) => onPage(await put(agent, name, pack(members(numbers)))),
  rename: async ({ agent }) => {
    const { id } = (await agent.pages()).find((page) => page.path === name);
    await agent.expect(200, "PUT", `/pages/${id}/path`, { json: { path: `moved/renamed-${name}` } });
  },
});

/** A source of an address whose pages the site shows: `show` puts them there, `at` is its address. */
const source = (show, at) => ({
  send: async (world, numbers) => {
    const { agent, web, label_ids } = world;
    show(web, numbers);
    if (world.source) await agent.expect(201, "PUT", `/sources/${world.source.id}/instant-sync`);
    else
      world.source = await agent.expect(201, "POST", "/sources", {
        json: { sitemap_path: web.url + at, data_refresh_frequency: "never", ...(label_ids && { label_ids }) },
      });
    return onSource(world.source);
  },
});
const rooms = (web, numbers) => {
  for (const n of numbers) web.page(`/room-${n}`, `Room ${n}`, secret(n).text);
  return numbers.map((n) => `/room-${n}`);
};

const kinds = {
  archive: file("rooms.zip", zip),
  mail: file("rooms.eml", mail),
  film: {
    send: async (world, numbers) => {
      const { agent, web, label_ids } = world;
      const tracks = numbers.map((n) => `<track src="/room-${n}.vtt" kind="captions" srclang="en">`).join("");
      for (const n of numbers)
        web.set(`/room-${n}.vtt`, {
          "content-type": "text/vtt",
          body: `WEBVTT\n\n00:01.000 --> 00:09.000\n${secret(n).text}\n`,
        });
      web.set("/film.html", {
        "content-type": "text/html",
        body: `<html lang="en"><head><title>The film</title></head><body><main><h1>The film</h1><p>It was made in summer, all day long.</p>${numbers.map((_, i) => `<video><source src="/${i}.mp4">${tracks.split(/(?=<track)/)[i]}</video>`).join("")}</main></body></html>`,
      });
      assert.equal(label_ids, undefined);
      if (!world.film) {
        await agent.expect(201, "POST", "/sources", { json: { sitemap_path: `${web.url}/film.html` } });
        world.film = (await agent.pages()).find((page) => page.page_url.endsWith("/film.html"));
      } else {
        await agent.expect(200, "POST", `/pages/${world.film.id}/reindex`);
      }
      return onPage(world.film);
    },
  },
  website: source((web, numbers) => {
    const links = rooms(web, numbers)
      .map((at) => `<a href="${at}">${at}</a>`)
      .join(" ");
    web.page("/", "Rooms", `All rooms of the house: ${links}`);
  }, "/"),
  sitemap: source((web, numbers) => web.sitemap("/sitemap.xml", rooms(web, numbers)), "/sitemap.xml"),
  uploads: {
    send: async (world, numbers) => {
      for (const [name, text] of Object.entries(members(numbers))) await put(world.agent, name, text);
      world.uploads ??= (await world.agent.expect(200, "GET", "/sources")).uploads;
      return onSource(world.uploads);
    },
  },
};

/** Nothing is read, fetched or looked for any more, and so many of the rooms are there. */
const settled = (agent, numbers) =>
  until(
    "all to be read",
    async () => {
      const { sitemaps } = await agent.expect(200, "GET", "/sources");
      const pages = await agent.pages();
      const read = (n) =>
        pages.some((p) => new RegExp(`room-${n}\\b`).test(p.path ?? p.page_url) && p.index_status === "ok");
      return (
        sitemaps.every((s) => s.sync_status !== "queued") &&
        pages.every((p) => p.crawl_status !== "queued" && p.index_status !== "queued") &&
        numbers.every(read) &&
        pages
      );
    },
    60_000,
  );

/** A stranger on the public page. */
async function visit(agent) {
  const { shareable_slug: slug } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  const at = `/public/v1/agents/${slug}`;
  const begun = await agent.kb.api("POST", `${at}/visit`, { plain: true, key: null, json: {}, headers: PAGE });
  const cookie = begun.headers["set-cookie"][0].split(";")[0];
  const call = (method, rest, options = {}) =>
    agent.kb.api(method, at + rest, { plain: true, key: null, headers: { ...PAGE, cookie }, ...options });
  const ask = async (prompt) => {
    const reply = await call("POST", "/messages", { json: { prompt } });
    const events = [...reply.text.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1]));
    return { text: reply.text, last: events.at(-1) };
  };
  return { kb: agent.kb, call, ask };
}

/** What a program that speaks MCP is told. */
async function mcp(agent, method, params, query = "") {
  const { text } = await agent.kb.api("POST", `/mcp/projects/${agent.id}${query}`, {
    plain: true,
    key: agent.key,
    json: { jsonrpc: "2.0", id: 1, method, params },
    headers: { accept: "application/json, text/event-stream" },
  });
  return text;
}
const tool = (agent, name, args, query) => mcp(agent, "tools/call", { name, arguments: args }, query);

/** How each reader asks: the text that it gets. `open` has the label, `closed` has not. */
const readers = [
  {
    name: "a question of the key",
    closed: [{}, { labels: ["other"] }, { labels: [["board"], ["other"]] }],
    open: [{ labels: ["board"] }, { labels: [["board", "other"]] }, { labels: ["board"], labels_exclusive: true }],
    read: async (agent, { question }, fields) =>
      (await agent.api("POST", `/conversations/${randomUUID()}/messages`, { json: { prompt: question, ...fields } }))
        .text,
  },
  {
    name: "search",
    closed: [{}, { labels: '["other"]' }],
    open: [{ labels: '["board"]' }],
    read: async (agent, { question }, query) =>
      JSON.stringify(await agent.expect(200, "GET", "/search", { query: { query: question, ...query } })),
  },
  {
    name: "chat/completions",
    closed: [{}],
    open: [{ labels: ["board"] }],
    read: async (agent, { question }, fields) =>
      (
        await agent.api("POST", "/chat/completions", {
          json: { messages: [{ role: "user", content: question }], ...fields },
        })
      ).text,
  },
  {
    name: "MCP's tools ask and search",
    closed: ["", "?labels[]=other"],
    open: ["?labels[]=board"],
    read: async (agent, { question }, query) =>
      (await tool(agent, "ask", { question }, query)) + (await tool(agent, "search", { query: question }, query)),
  },
];

/** The documents that hold the secret, and no other: where MCP reads them. */
async function holders(agent, n) {
  return (await agent.pages()).filter((page) => new RegExp(`room-${n}\\b`).test(page.path ?? page.page_url));
}

/** Every reader reaches the secrets with the label, and nobody without it. */
async function isClosed(agent, numbers, what) {
  for (const n of numbers) {
    const it = secret(n);
    const stranger = await visit(agent);
    const told = (await stranger.ask(it.question)).text;
    assert.ok(told.includes('"finish"') && !told.includes(it.word), `${what}: a stranger reads ${n}: ${told}`);
    for (const { name, closed, open, read } of readers) {
      for (const fields of closed) {
        const text = await read(agent, it, fields);
        assert.ok(!text.includes(it.word), `${what}: ${name} with ${JSON.stringify(fields)} reads ${n}: ${text}`);
      }
      for (const fields of open) {
        const text = await read(agent, it, fields);
        assert.ok(text.includes(it.word), `${what}: ${name} with ${JSON.stringify(fields)} misses ${n}: ${text}`);
      }
    }
    for (const { id } of await holders(agent, n)) {
      const uri = `docent://projects/${agent.id}/documents/${id}`;
      for (const [query, may] of [
        ["", false],
        ["?labels[]=board", true],
      ]) {
        const read = await tool(agent, "read_document", { document_id: id }, query);
        const resource = await mcp(agent, "resources/read", { uri }, query);
        const listed = await mcp(agent, "resources/list", {}, query);
        assert.deepEqual(
          [read.includes(it.word), resource.includes(it.word), listed.includes(`"${uri}"`)],
          [may, may, may],
          `${what}: MCP ${query} and document ${n}`,
        );
      }
    }
  }
  const topics = await agent.ask("What do you know about?");
  assert.doesNotMatch(topics.llm_response, /room/i, what);
}

const whens = {
  /** It carries the label before anything in it is read. */
  before: async (kind, world, numbers) => {
    let label;
    if (kind === "website" || kind === "sitemap") {
      world.label_ids = [world.board];
    } else {
      label = await kinds[kind].send(world, []);
      await settled(world.agent, []);
      await label(world.agent, [world.board]);
    }
    await kinds[kind].send(world, numbers);
    await settled(world.agent, numbers);
  },
  /** It waits, or is just being read. */
  queued: async (kind, world, numbers) => {
    const label = await kinds[kind].send(world, numbers);
    await label(world.agent, [world.board]);
    await settled(world.agent, numbers);
  },
  /** Everybody has read it. */
  after: async (kind, world, numbers) => {
    const label = await kinds[kind].send(world, numbers);
    await settled(world.agent, numbers);
    const stranger = await visit(world.agent);
    const { last } = await stranger.ask(secret(numbers[0]).question);
    assert.ok(last.sources.length && last.sources[0].title, `${kind}: it was open`);
    const { url } = (await stranger.call("POST", `/conversations/${last.session_id}/share`)).data;
    await label(world.agent, [world.board]);
    await hasForgotten(stranger, last, url);
  },
};

/** A talk from before: its sources are named and shown no longer. */
async function hasForgotten({ call, kb }, message, link) {
  const at = `/conversations/${message.session_id}`;
  const [stored] = (await call("GET", at)).data.messages;
  const [{ id }] = stored.sources;
  const { title, url, is_pdf } = stored.sources[0];
  assert.deepEqual([title, url, is_pdf], [null, null, false]);
  for (const rest of ["text", "file", "view/1", "view/1/words"])
    assert.equal((await call("GET", `${at}/messages/${message.id}/sources/${id}/${rest}`)).status, 404, rest);
  const pictures = await call("GET", `${at}/messages/${message.id}/pictures`);
  assert.deepEqual([pictures.status, pictures.data ?? []], [200, []]);
  const shared = await kb.api("GET", `/public/v1/shared/${link.split("/").at(-1)}`, { plain: true, key: null });
  assert.deepEqual([shared.status, shared.data.messages[0].sources[0].title], [200, null]);
}

async function make(t, kb, kind) {
  const agent = await kb.agent({ project_name: kind });
  await agent.expect(200, "POST", "/settings", {
    json: { is_pdf_viewer: true, enable_citations: 3, can_share_conversation: true },
  });
  const [board] = await agent.expect(201, "POST", "/labels", { json: { names: ["board", "other"] } });
  return { agent, web: await site(t), board: board.id };
}

for (const kind of Object.keys(kinds))
  for (const when of Object.keys(whens))
    test(`${kind}: what is in it, labelled ${when === "queued" ? "while it waits" : `${when} it is read`}, stays behind the label`, async (t) => {
      const kb = await start(t, { env });
      const world = await make(t, kb, kind);
      const { agent } = world;
      const { send, rename } = kinds[kind];
      await whens[when](kind, world, [1, 2]);
      await isClosed(agent, [1, 2], "labelled");
      await send(world, [1, 2, 3]);
      await settled(agent, [1, 2, 3]);
      await isClosed(agent, [1, 3], "another version with a new document");
      await send(world, [1, 2, 3]);
      await settled(agent, [1, 2, 3]);
      await isClosed(agent, [2], "sent once more");
      if (rename) {
        await rename(world);
        await settled(agent, [1, 2, 3]);
        await isClosed(agent, [3], "renamed");
      }
      const copy = await kb.expect(201, "POST", `/projects/${agent.id}/replicate`);
      await isClosed(new Agent(kb, copy, kb.key), [3], "copied");
    });

test("a master finds no more in its child's archive than the child itself", async (t) => {
  const kb = await start(t, { env });
  const { agent, board } = await make(t, kb, "archive");
  const label = await kinds.archive.send({ agent }, [1]);
  await settled(agent, [1]);
  const master = await kb.agent({ project_name: "Master", is_master: "true" });
  await master.expect(200, "POST", "", { json: { child_project_ids: [agent.id] } });
  assert.match((await master.ask(secret(1).question)).llm_response, new RegExp(secret(1).word));
  await label(agent, [board]);
  assert.doesNotMatch((await master.ask(secret(1).question)).llm_response, new RegExp(secret(1).word));
  const stranger = await visit(master);
  assert.ok(!(await stranger.ask(secret(1).question)).text.includes(secret(1).word));
});

test("a part needs its own labels and its container's, and a deleted label opens neither", async (t) => {
  const kb = await start(t, { env });
  const { agent, board } = await make(t, kb, "archive");
  const label = await kinds.archive.send({ agent }, [1]);
  await settled(agent, [1]);
  const { id: other } = (await agent.expect(200, "GET", "/labels")).data.find(({ name }) => name === "other");
  const [member] = await holders(agent, 1);
  const finds = async (fields) =>
    (await agent.ask(secret(1).question, { json: { prompt: secret(1).question, ...fields } })).llm_response.includes(
      secret(1).word,
    );
  const labels = [{}, { labels: ["board"] }, { labels: ["other"] }, { labels: ["board", "other"] }];
  const rows = [
    // of the archive, of the member, who finds it
    [[], [], [true, true, true, true]],
    [[board], [], [false, true, false, true]],
    [[], [other], [false, false, true, true]],
    [[board], [other], [false, false, false, true]],
    [[board], [board], [false, true, false, true]],
    [[board, other], [board], [false, true, false, true]],
  ];
  for (const [outer, inner, want] of rows) {
    await label(agent, outer);
    await onPage(member)(agent, inner);
    const found = [];
    for (const fields of labels) found.push(await finds(fields));
    assert.deepEqual(found, want, JSON.stringify([outer, inner]));
  }
  assert.equal(await finds({ labels: ["board"], labels_exclusive: true }), true);
  await agent.expect(200, "DELETE", `/labels/${board}`);
  assert.deepEqual([await finds({}), await finds({ labels: ["board", "other"] })], [false, false]);
  await agent.expect(201, "POST", "/labels", { json: { names: ["board"] } });
  assert.equal(await finds({ labels: ["board"] }), true);
});

test("containers and sources keep what is theirs when their installation moves", async (t) => {
  const at = (dir) => ({ ...env, DOCENT_STORE: dir, DOCENT_BLOB: path.join(dir, "blobs") });
  const [from, to] = [await folder(t), await folder(t)];
  const kb = await start(t, { env: at(from) });
  const worlds = [];
  for (const kind of ["archive", "mail", "film", "website"]) {
    const world = await make(t, kb, kind);
    await whens.after(kind, world, [1]);
    worlds.push(world);
  }
  assert.equal(await kb.stop(), 0);
  const moved = await docent(["move", "--from", from, "--to", to]);
  assert.equal(moved.code, 0, moved.stderr);
  const there = await start(t, { env: at(to), key: false });
  for (const { agent } of worlds)
    await isClosed(new Agent(there, agent.record, kb.key), [1], `${agent.record.project_name} moved`);
});

test("labels of a source are told, checked, and refused with files", async (t) => {
  const kb = await start(t, { env });
  const { agent, web, board } = await make(t, kb, "sources");
  web.page("/a.html", "A", secret(1).text);
  const refused = async (status, message, method, where, json) => {
    const reply = await agent.api(method, where, { json });
    assert.deepEqual([reply.status, reply.json.message], [status, message]);
  };
  const sitemap_path = `${web.url}/a.html`;
  await refused(400, "label_ids must be an array of integers", "POST", "/sources", {
    sitemap_path,
    label_ids: "board",
  });
  await refused(400, "label_ids holds 999, which is no label of this agent", "POST", "/sources", {
    sitemap_path,
    label_ids: [board, 999],
  });
  assert.deepEqual(await agent.pages(), [], "a refused source brings nothing");
  const made = await agent.expect(201, "POST", "/sources", { json: { sitemap_path, label_ids: [board, board] } });
  const { sitemaps, uploads } = await agent.expect(200, "GET", "/sources");
  assert.deepEqual([sitemaps[0].label_ids, uploads.label_ids], [[board], []]);
  const at = `/sources/${made.id}`;
  await refused(400, "label_ids holds 999, which is no label of this agent", "PUT", at, { label_ids: [999] });
  // Other settings leave them alone; the same address again with other labels has those.
  const put = async (json) => (await agent.expect(201, "PUT", at, { json })).label_ids;
  assert.deepEqual(await put({ max_pages: 5 }), [board]);
  const again = await agent.expect(201, "POST", "/sources", { json: { sitemap_path, label_ids: [] } });
  assert.deepEqual([again.id, again.label_ids], [made.id, []]);
  assert.deepEqual(await put({ label_ids: [board] }), [board]);
  await refused(
    400,
    "the source of uploads reads no address: it has nothing to set but label_ids and review_at",
    "PUT",
    `/sources/${uploads.id}`,
    { max_pages: 5 },
  );
  const reply = await agent.api("POST", "/sources", { form: form({ label_ids: `[${board}]` }, { "x.txt": "x" }) });
  assert.deepEqual(
    [reply.status, reply.json.message],
    [400, "label_ids are those of a source of an address; label files one by one, or the source of all uploads"],
  );
  // In a form, too.
  const other = await agent.expect(201, "POST", "/sources", {
    urlencoded: [
      ["sitemap_path", `${web.url}/b.html`],
      ["label_ids[]", String(board)],
    ],
  });
  assert.deepEqual(other.label_ids, [board]);
  await refused(400, "label_ids must be an array of integers", "PUT", at, { label_ids: null });
  // A new agent has no labels that an address could need.
  const fresh = await kb.api("POST", "/projects", { json: { project_name: "x", sitemap_path, label_ids: [board] } });
  assert.equal(fresh.status, 400, fresh.text);
  await agent.expect(200, "DELETE", at);
  await kb.stop();
  assert.equal((await kb.cli("check")).code, 0, "nothing is left behind");
});

test("the source of uploads that follows a deleted one is as closed", async (t) => {
  const kb = await start(t, { env });
  const world = await make(t, kb, "uploads");
  const { agent, board } = world;
  const label = await kinds.uploads.send(world, [1]);
  await label(agent, [board]);
  await agent.expect(200, "DELETE", `/sources/${world.uploads.id}`);
  await put(agent, "room-2.txt", secret(2).text);
  await settled(agent, [2]);
  await isClosed(agent, [2], "after the uploads were deleted");
});
