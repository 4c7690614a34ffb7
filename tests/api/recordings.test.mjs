// Recordings: what is said in them is found and cited, with the second at which it is said.
import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { assert, start, test } from "./lib/harness.mjs";
import { models } from "./lib/models.mjs";

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
