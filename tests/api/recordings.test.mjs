// Recordings: what is said in them is found and cited, with the second at which it is said.
import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { assert, start, test, until } from "./lib/harness.mjs";
import { models } from "./lib/models.mjs";
import { mayFetch, site } from "./lib/site.mjs";

const wave = Buffer.concat([Buffer.from("RIFF\0\0\0\0WAVEfmt "), Buffer.alloc(2000, 7)]);
const talk = [
  [0, "Welcome to the tour of the harbour of Velmora."],
  [83.4, "The lighthouse was painted by Ottilie Brandt in the year 1911."],
  [86, "She used nine barrels of white lead."],
  [140, "The ferry to the island of Marn leaves at seven o'clock."],
];

/** A service whose catalogue has a transcription model. */
async function scene(t) {
  const server = await models(t);
  const file = path.join(tmpdir(), `docent-models-${process.pid}-${randomUUID()}.json`);
  await writeFile(file, JSON.stringify({ models: [{ id: "ears", kind: "transcription", url: server.url }] }));
  t.after(() => rm(file));
  server.spoken = talk;
  const kb = await start(t, { env: { DOCENT_MODELS: file } });
  return { server, kb, agent: await kb.agent({}) };
}
const claimed = async (agent, message) =>
  (await agent.expect(200, "GET", `/conversations/${message.session}/messages/${message.id}/claims`)).claims;

test("an uploaded recording is transcribed, and its citations know the second", async (t) => {
  const { server, agent } = await scene(t);
  await agent.add({ "tour.wav": wave });
  const [{ body }] = server.asked("/v1/audio/transcriptions");
  assert.deepEqual([body.model, body.response_format, body.file.filename], ["ears", "verbose_json", "tour.wav"]);
  assert.ok(body.file.value.startsWith("RIFF"));
  const message = await agent.ask("Who painted the lighthouse?");
  assert.match(message.llm_response, /Ottilie Brandt/);
  assert.deepEqual(await agent.sources(message), ["tour.wav"]);
  const [claim] = await claimed(agent, message);
  assert.deepEqual([claim.places[0].page_no, claim.places[0].second], [null, 83]);
  const { passages } = await agent.expect(200, "GET", "/search", { query: { query: "ferry to Marn" } });
  assert.ok(passages.length > 0 && passages[0].page_no === null, JSON.stringify(passages));
  const { blocks } = await agent.expect(200, "GET", `/pages/${(await agent.page("tour.wav")).id}/text`);
  assert.deepEqual(
    blocks.map((block) => block.second),
    [0, 83, 140],
  );
});

test("a server that refuses, fails or hears nothing fails the document with a sentence", async (t) => {
  const { server, agent } = await scene(t);
  const reason = async (name) => {
    await agent.add({ [name]: Buffer.concat([wave, Buffer.from(name)]) });
    return (await agent.page(name)).status_reason;
  };
  server.spoken = [[0, "  "]];
  assert.match(await reason("silence.wav"), /nothing is said/);
  server.way = 400;
  assert.match(await reason("refused.wav"), /transcription server refuses/);
  assert.ok(!(await agent.pages()).some((page) => page.index_status === "ok"));
});

test("without a transcription model a recording says what is missing", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "tour.wav": wave } });
  assert.match((await agent.page("tour.wav")).status_reason, /no transcription model is configured/);
});

test("subtitles know the second of what is said", async (t) => {
  const kb = await start(t);
  const cue = (start, text) => `${start} --> 00:59:00.000\n${text}\n`;
  const vtt = `WEBVTT\n\n${cue("00:00:01.000", "Welcome to the harbour.")}\n${cue(
    "01:02:03.500",
    "The lighthouse was painted by Ottilie Brandt.",
  )}`;
  const long = "It is a long way and the road is narrow. ".repeat(14);
  const agent = await kb.agent({
    files: {
      "tour.vtt": vtt.replace("Welcome to the harbour.", long),
      "tour.srt": `1\n${cue("00:01:23,000", "The ferry is called Aurelia.")}`,
    },
  });
  const message = await agent.ask("Who painted the lighthouse?");
  assert.equal((await claimed(agent, message))[0].places[0].second, 3723);
  const ferry = await agent.ask("What is the ferry called?");
  assert.equal((await claimed(agent, ferry))[0].places[0].second, 83);
});

/** Once each page is read or given up, and none are waited for: the pages by the paths of their addresses. */
const settled = (agent, count) =>
  until(
    `${count} pages to be read or given up`,
    async () => {
      const pages = await agent.pages();
      const done = pages.every((page) => page.crawl_status !== "queued" && page.index_status !== "queued");
      return done && pages.length === count && new Map(pages.map((page) => [new URL(page.page_url).pathname, page]));
    },
    60_000,
  );

test("what is said in the films of a page is found, and cited as the page at that moment", async (t) => {
  const kb = await start(t, { env: { ...mayFetch.env, DOCENT_HOST_PAUSE: "5" } });
  const web = await site(t);
  const cue = (at, text) => `${at}.000 --> 00:59:00.000\n${text}\n\n`;
  const film = (tracks, more = "") => ({
    "content-type": "text/html",
    body: `<html lang="en"><head><title>The tour of Velmora</title></head><body><main><h1>The tour of Velmora</h1><p>A film of the harbour, made in the summer of last year.</p><video controls><source src="/tour.mp4">${tracks}</video>${more}</main></body></html>`,
  });
  const vtt = (body) => ({ "content-type": "text/vtt", body: `WEBVTT\n\n${body}` });
  web.set(
    "/tour.html",
    film(
      `<track src="/de.vtt" srclang="de" kind="subtitles" default><track src="/en.vtt" srclang="en-GB" kind="captions"><track src="/chapters.vtt" kind="chapters">`,
      `<p>Take it with you: <a href="/walk.SRT?dl=1">the walk</a></p>`,
    ),
  );
  web.set("/en.vtt", vtt(cue("00:01:23", "The lighthouse was painted by Ottilie Brandt.")));
  web.set("/walk.SRT?dl=1", {
    "content-type": "text/plain",
    body: `1\n${cue("00:00:07", "The quay is made of granite.")}`,
  });
  const agent = await kb.agent({ sitemap_path: `${web.url}/tour.html` });
  const pages = await settled(agent, 3);
  assert.deepEqual([...pages.keys()].sort(), ["/en.vtt", "/tour.html", "/walk.SRT"]);
  const [tour, track] = [pages.get("/tour.html"), pages.get("/en.vtt")];
  assert.deepEqual([track.index_status, track.parent_id], ["ok", tour.id], track.status_reason);
  assert.deepEqual(web.asked("/de.vtt").concat(web.asked("/chapters.vtt"), web.asked("/tour.mp4")), []);
  const message = await agent.ask("Who painted the lighthouse?");
  assert.match(message.llm_response, /Ottilie Brandt/);
  const [claim] = await claimed(agent, message);
  assert.equal(claim.places[0].second, 83);
  const { data } = { data: await agent.expect(200, "GET", `/citations/${message.citations[0]}`) };
  assert.deepEqual([data.title, data.url], ["The tour of Velmora", `${web.url}/tour.html`]);
  const { passages } = await agent.expect(200, "GET", "/search", { query: { query: "granite quay" } });
  assert.equal(passages[0].second, 7);

  // Read again without them, the page takes them along.
  web.set("/tour.html", film(`<track src="/html.vtt">`));
  web.set("/html.vtt", {
    "content-type": "text/html",
    body: "<!doctype html><p>Please sign in to see the subtitles of this film.</p>",
  });
  await agent.expect(200, "POST", `/pages/${tour.id}/reindex`);
  await until("the others to go", async () => (await agent.pages()).every((page) => !/en.vtt|SRT/.test(page.page_url)));
  const after = await settled(agent, 2);
  assert.match(after.get("/html.vtt").status_reason, /no WebVTT or SRT/);
  assert.doesNotMatch((await agent.ask("Who painted the lighthouse?")).llm_response, /Ottilie/);
  await agent.expect(200, "DELETE", `/pages/${tour.id}`);
  assert.deepEqual(await agent.pages(), []);
});
