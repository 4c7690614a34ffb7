// Sources: the record, what may be set, and every refusal in the interface's words.
import { assert, form, start, test, until } from "./lib/harness.mjs";
import { changeRows } from "./lib/rows.mjs";
import { mayFetch, site } from "./lib/site.mjs";
import { fileOf } from "./lib/util.mjs";

const absent = [
  "zapiers",
  "confluences",
  "youtubes",
  "vimeos",
  "sharepoints",
  "sharepoint_sites",
  "one_drives",
  "google_drives",
  "notions",
  "zendesks",
  "hubspots",
];
const defaults = {
  executive_js: true,
  data_refresh_frequency: "never",
  create_new_pages: true,
  remove_unexist_pages: false,
  refresh_existing_pages: "never",
  refresh_schedule: [],
  image_extraction_type: "none",
  update_existing_images: false,
  sync_all_images: false,
  max_pages: 100000,
  max_depth: 64,
  max_megabytes: 20000,
  max_minutes: 10080,
};
const nowhere = "http://127.0.0.1:9"; // refused at once

test("an agent has a source of uploads from its start, and lists of what there is none of", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const data = await agent.expect(200, "GET", "/sources");
  assert.deepEqual(Object.keys(data).sort(), ["sitemaps", "uploads", ...absent].sort());
  for (const name of absent) assert.deepEqual(data[name], []);
  assert.deepEqual(data.sitemaps, []);
  const { id, created_at, updated_at, ...uploads } = data.uploads;
  assert.ok(id && created_at && updated_at);
  assert.deepEqual(uploads, {
    type: "upload",
    settings: { ...defaults, sitemap_path: null },
    sync_status: "n/a",
    sync_reason: null,
    synced_at: null,
    label_ids: [],
    next_sync_at: null,
    review_at: null,
    is_review_due: false,
    pages: [],
  });
});

test("files come through a source too: the answer holds the new pages", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "old.txt": "The old parcel is grey." } });
  const made = await agent.expect(201, "POST", "/sources", {
    form: form({}, { "new.txt": "The new parcel is teal.", "more.txt": "More parcels are pink." }),
  });
  assert.equal(made.type, "upload");
  assert.deepEqual(
    made.pages.map((page) => [page.filename, page.index_status]),
    [
      ["new.txt", "queued"],
      ["more.txt", "queued"],
    ],
  );
  await agent.settled();
  assert.match((await agent.ask("Which colour does the new parcel have?")).llm_response, /teal/);
  const { uploads } = await agent.expect(200, "GET", "/sources");
  assert.deepEqual(uploads.pages.map((page) => page.filename).sort(), ["more.txt", "new.txt", "old.txt"]);
  // Deleting it takes the documents and leaves an empty one.
  await agent.expect(200, "DELETE", `/sources/${uploads.id}`);
  const after = (await agent.expect(200, "GET", "/sources")).uploads;
  assert.notEqual(after.id, uploads.id);
  assert.deepEqual(after.pages, []);
  assert.doesNotMatch((await agent.ask("Which colour does the new parcel have?")).llm_response, /teal/);
});

test("an address is a source once, however it is spelt", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const made = await agent.expect(201, "POST", "/sources", {
    json: { sitemap_path: " HTTP://127.0.0.1:9/a/../page.html#x ", sync_all_images: 1 },
  });
  assert.deepEqual(
    [made.type, made.settings.sitemap_path, made.settings.sync_all_images, made.pages.length],
    ["sitemap", `${nowhere}/page.html`, true, 1],
  );
  const again = await agent.expect(201, "POST", "/sources", { form: form({ sitemap_path: `${nowhere}/page.html` }) });
  assert.equal(again.id, made.id);
  await agent.expect(200, "POST", "", { json: { sitemap_path: `${nowhere}/page.html` } });
  const { sitemaps } = await agent.expect(200, "GET", "/sources");
  assert.deepEqual(
    sitemaps.map((source) => source.id),
    [made.id],
  );
  assert.equal((await agent.settled()).length, 1);
  await agent.expect(200, "POST", "", { json: { sitemap_path: `${nowhere}/other.html` } });
  assert.equal((await agent.expect(200, "GET", "/sources")).sitemaps.length, 2);
  const many = await Promise.all(
    Array.from({ length: 16 }, () =>
      agent.expect(201, "POST", "/sources", { json: { sitemap_path: `${nowhere}/third.html` } }),
    ),
  );
  assert.equal(new Set(many.map((source) => source.id)).size, 1);
  assert.match(
    (await agent.api("PUT", `/sources/${made.id}`, { json: { sitemap_path: `${nowhere}/third.html` } })).json.message,
    /has that address already/,
  );
});

test("what is wrong with a source is said, and nothing is kept", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const made = await agent.expect(201, "POST", "/sources", { json: { sitemap_path: `${nowhere}/page.html` } });
  const sources = () => agent.expect(200, "GET", "/sources");
  await until("the reading", async () => (await sources()).sitemaps[0].sync_status === "ok");
  await agent.settled();
  const before = await sources();
  const wrong = [
    [{}, "Sitemap URL is empty"],
    [{ sitemap_path: "" }, "Sitemap URL is empty"],
    [{ sitemap_path: null }, "Sitemap URL is empty"],
    [{ sitemap_path: "ftp://a.example/" }, "sitemap_path must be an http or https address"],
    [{ sitemap_path: "a b" }, "sitemap_path must be an http or https address"],
    [{ sitemap_path: `https://a.example/${"x".repeat(2000)}` }, "sitemap_path has 2018 characters, the limit is 2000"],
    [
      { sitemap_path: "https://a.example/", data_refresh_frequency: "hourly" },
      "data_refresh_frequency must be never, daily, weekly, monthly or advanced",
    ],
    [
      { sitemap_path: "https://a.example/", refresh_existing_pages: 1 },
      "refresh_existing_pages must be never, always or if_updated",
    ],
    [{ sitemap_path: "https://a.example/", create_new_pages: "perhaps" }, "create_new_pages must be true or false"],
    [
      { sitemap_path: "https://a.example/", image_extraction_type: "all" },
      "image_extraction_type must be none or sync_from_sitemap",
    ],
    [{ sitemap_path: "https://a.example/", is_ocr_enabled: 7 }, "is_ocr_enabled must be an integer from 0 to 2"],
    [
      { sitemap_path: "https://a.example/", data_refresh_frequency: "advanced" },
      "with data_refresh_frequency advanced, refresh_schedule must name a day and an hour",
    ],
  ];
  for (const [json, message] of wrong)
    assert.equal((await agent.api("POST", "/sources", { json })).json.message, message, JSON.stringify(json));
  const both = form({ sitemap_path: "https://a.example/" }, { "a.txt": "x" });
  assert.equal(
    (await agent.api("POST", "/sources", { form: both })).json.message,
    "sitemap_path and files make two sources: send them one by one",
  );
  for (const [refresh_schedule, message] of [
    [[{ days: [7], hours: ["07:00"] }], "a day of refresh_schedule must be from 0 (Sunday) to 6"],
    [[{ days: [1], hours: ["24:00"] }], "an hour of refresh_schedule must be HH:MM, from 00:00 to 23:59"],
    [[{ days: [1] }], 'refresh_schedule must be a list of {"days":[0..6],"hours":["HH:MM"]}'],
    ["x", 'refresh_schedule must be a list of {"days":[0..6],"hours":["HH:MM"]}'],
    [Array(21).fill({ days: [1], hours: ["07:00"] }), "refresh_schedule has 21 items, the limit is 20"],
  ])
    assert.equal((await agent.api("PUT", `/sources/${made.id}`, { json: { refresh_schedule } })).json.message, message);
  const upload = before.uploads.id;
  assert.equal((await agent.api("PUT", `/sources/${upload}`, { json: {} })).status, 400);
  const sync = await agent.api("PUT", `/sources/${upload}/instant-sync`);
  assert.deepEqual([sync.status, sync.json.message], [403, "Agent source can't be synced"]);
  for (const [method, where] of [
    ["PUT", ""],
    ["DELETE", ""],
    ["PUT", "/instant-sync"],
  ]) {
    assert.equal(
      (await agent.api(method, `/sources/987654${where}`, { json: method === "PUT" ? {} : undefined })).json.message,
      "Agent source with id 987654 not found",
    );
    assert.equal(
      (await agent.api(method, `/sources/x${where}`, { json: method === "PUT" ? {} : undefined })).json.message,
      "Agent source id must be integer",
    );
  }
  assert.deepEqual(await sources(), before);
});

test("settings change one by one, as JSON or as a form, and give the next reading its time", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { id } = await agent.expect(201, "POST", "/sources", {
    json: { sitemap_path: `${nowhere}/page.html`, remove_unexist_pages: "true" },
  });
  await until("the reading", async () => (await agent.expect(200, "GET", "/sources")).sitemaps[0].sync_status === "ok");
  const put = async (options) => await agent.expect(201, "PUT", `/sources/${id}`, options);
  const daily = await put({ json: { data_refresh_frequency: "daily" } });
  assert.deepEqual(daily.settings, {
    ...defaults,
    sitemap_path: `${nowhere}/page.html`,
    remove_unexist_pages: true,
    data_refresh_frequency: "daily",
  });
  const hours = (source) => (Date.parse(source.next_sync_at) - Date.now()) / 3_600_000;
  assert.ok(Math.abs(hours(daily) - 24) < 0.1);
  assert.ok(Math.abs(hours(await put({ form: form({ data_refresh_frequency: "weekly" }) })) - 7 * 24) < 0.1);
  const advanced = await put({
    json: { data_refresh_frequency: "advanced", refresh_schedule: { days: [6, 0], hours: ["7:05", "23:59"] } },
  });
  assert.deepEqual(advanced.settings.refresh_schedule, [{ days: [0, 6], hours: ["07:05", "23:59"] }]);
  const next = new Date(advanced.next_sync_at);
  assert.ok([0, 6].includes(next.getUTCDay()) && [5, 59].includes(next.getUTCMinutes()), advanced.next_sync_at);
  assert.equal((await put({ json: { data_refresh_frequency: "never" } })).next_sync_at, null);
  await Promise.all(
    Array.from({ length: 32 }, (_, i) =>
      put({
        json: [
          { executive_js: false },
          { update_existing_images: true },
          { sync_all_images: true },
          { create_new_pages: false },
        ][i % 4],
      }),
    ),
  );
  const { settings } = (await agent.expect(200, "GET", "/sources")).sitemaps[0];
  assert.deepEqual(
    [settings.executive_js, settings.update_existing_images, settings.sync_all_images, settings.create_new_pages],
    [false, true, true, false],
  );
});

test("the plan says whether, and how often, a source is read at once", async (t) => {
  const file = await fileOf(t, "slow = sync=3600 pages=2\nnone = features=none\n");
  const kb = await start(t, { args: ["--plans", file], ...mayFetch });
  const web = await site(t);
  for (let i = 0; i < 5; i++) web.page(`/p${i}`, `Page ${i}`, `The parcel ${i} stands in hall ${i}.`);
  web.sitemap("/sitemap.xml", ["/p0", "/p1", "/p2", "/p3", "/p4"]);
  const slow = await kb.agent({
    key: await kb.newKey({ account: "slow", plan: "slow" }),
    sitemap_path: `${web.url}/sitemap.xml`,
  });
  await until("the pages", async () => (await slow.pages()).length === 5);
  const states = (await slow.settled()).map((page) => [page.crawl_status, page.index_status, page.status_reason]);
  assert.equal(states.filter(([crawl, index]) => crawl === "ok" && index === "ok").length, 2);
  for (const [crawl, index, reason] of states.filter(([, index]) => index !== "ok"))
    assert.deepEqual([crawl, index, reason], ["limited", "limited", "the plan allows 2 documents an agent"]);
  const [source] = (await slow.expect(200, "GET", "/sources")).sitemaps;
  assert.equal((await slow.expect(201, "PUT", `/sources/${source.id}/instant-sync`)).id, source.id);
  const soon = await slow.api("PUT", `/sources/${source.id}/instant-sync`);
  assert.equal(soon.status, 403);
  assert.match(soon.json.message, /^Next instant sync will be available in 3(600|59\d) seconds$/);
  const none = await kb.agent({
    key: await kb.newKey({ account: "none", plan: "none" }),
    sitemap_path: `${web.url}/p0`,
  });
  const [other] = (await none.expect(200, "GET", "/sources")).sitemaps;
  const never = await none.api("PUT", `/sources/${other.id}/instant-sync`);
  assert.deepEqual([never.status, never.json.message], [403, "Your plan not eligible for instant sync"]);
});

test("the pictures of a sitemap are its pages' where they have none, when that is asked for", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  web.page("/a", "A", "Amber parcels weigh nine kilograms.");
  const list = (picture) =>
    web.set("/sitemap.xml", {
      body: `<urlset xmlns:image="x"><url><loc>${web.url}/a</loc><image:image><image:loc>${web.url}/${picture}</image:loc></image:image></url></urlset>`,
      "content-type": "application/xml",
    });
  list("one.png");
  const agent = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml`, image_extraction_type: "sync_from_sitemap" });
  await until("the agent to be active", async () => (await agent.expect(200, "GET")).is_chat_active);
  const [page] = await agent.settled();
  const image = async () => (await agent.expect(200, "GET", `/pages/${page.id}/metadata`)).image;
  assert.equal(await image(), `${web.url}/one.png`);
  const [source] = (await agent.expect(200, "GET", "/sources")).sitemaps;
  assert.equal(source.settings.image_extraction_type, "sync_from_sitemap");
  const sync = async (json) => {
    const { synced_at } = await agent.expect(201, "PUT", `/sources/${source.id}`, { json });
    await agent.expect(201, "PUT", `/sources/${source.id}/instant-sync`);
    await until(
      "the sync",
      async () => (await agent.expect(200, "GET", "/sources")).sitemaps[0].synced_at !== synced_at,
    );
  };
  list("two.png");
  await sync({ sync_all_images: true });
  assert.equal(await image(), `${web.url}/one.png`, "it has one");
  await sync({ update_existing_images: true });
  assert.equal(await image(), `${web.url}/two.png`);
});

test("an address with a user name or password is refused wherever one is given", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const source = await agent.expect(201, "POST", "/sources", { json: { sitemap_path: `${nowhere}/page.html` } });
  const message =
    "sitemap_path holds a user name or password, and readers are shown addresses: upload what is behind a password as a file";
  for (const sitemap_path of [
    "http://ann:secret@127.0.0.1:9/page",
    "http://ann@127.0.0.1:9/page",
    "http://:secret@127.0.0.1:9/sitemap.xml",
  ])
    for (const [method, where, body] of [
      ["POST", "/api/v1/projects", { project_name: "x" }],
      ["POST", `/api/v1/projects/${agent.id}`, {}],
      ["POST", `/api/v1/projects/${agent.id}/sources`, {}],
      ["PUT", `/api/v1/projects/${agent.id}/sources/${source.id}`, {}],
    ]) {
      const reply = await kb.api(method, where, { json: { ...body, sitemap_path } });
      assert.deepEqual([reply.status, reply.json.message], [400, message], `${method} ${where}`);
    }
  assert.doesNotMatch(kb.log, /secret/);
});

test("passwords in addresses that an older version took are shown to nobody", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  const address = `${web.url}/door`,
    secret = address.replace("//", "//ann:secret@");
  web.page("/door", "", "The door code of the parcel hall is posted on the third pillar.");
  const agent = await kb.agent({ sitemap_path: address });
  await until("the page", async () => (await agent.pages()).length === 1);
  await agent.settled();
  if (
    !(await changeRows(
      t,
      kb,
      `UPDATE agents SET sitemap_path = '${secret}'; UPDATE sources SET url = '${secret}' WHERE url <> ''; UPDATE pages SET url = '${secret}', url_key = '${secret}', title = '';`,
    ))
  )
    return;
  const [page] = await agent.pages();
  await agent.expect(200, "POST", `/pages/${page.id}/reindex`);
  await until("another visit", () => web.log.some((entry) => entry.headers.authorization));
  await agent.settled();
  const source = (await agent.expect(200, "GET", "/sources")).sitemaps[0];
  const citation = await agent.expect(200, "GET", `/citations/${page.id}`);
  assert.deepEqual(
    [page.page_url, source.settings.sitemap_path, (await agent.expect(200, "GET")).sitemap_path, citation.url],
    [address, address, address, address],
  );
  const answer = await agent.ask("Where is the door code posted?");
  for (const text of [answer, citation, await agent.pages(), source, kb.log])
    assert.doesNotMatch(JSON.stringify(text), /secret/);
});
