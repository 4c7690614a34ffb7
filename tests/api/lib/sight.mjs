// A service with a model that sees pictures, and what it is shown.
import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sourcesOf } from "./chat.mjs";
import { start } from "./harness.mjs";
import { models } from "./models.mjs";

/** The pictures of a request, and their kind and longer side. */
export const imagesOf = (body) =>
  body.messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter((part) => part.type === "image_url").map((part) => part.image_url.url) : [],
  );
export function look(url) {
  const [, kind, text] = /^data:image\/(\w+);base64,(.*)$/.exec(url);
  const bytes = Buffer.from(text, "base64");
  if (kind === "png") return { kind, bytes, side: Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) };
  let at = 2;
  while (bytes[at + 1] < 0xc0 || bytes[at + 1] > 0xc2) at += 2 + bytes.readUInt16BE(at + 2);
  return { kind, bytes, side: Math.max(bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)) };
}

/** A service with a model that sees and one that does not. `see` says what is on a picture. */
export async function scene(t, { list = ["vision", "chat"], see = () => "Nothing.", env = {} } = {}) {
  const server = await models(t);
  const file = path.join(tmpdir(), `docent-models-${process.pid}-${randomUUID()}.json`);
  await writeFile(file, JSON.stringify({ models: list.map((kind) => ({ id: `a-${kind}`, kind, url: server.url })) }));
  t.after(() => rm(file));
  const kb = await start(t, { env: { DOCENT_MODELS: file, DOCENT_MODEL_CHORES: "no", ...env } });
  const { chat } = server;
  const looked = () => chat.seen.filter(({ body }) => imagesOf(body).length);
  chat.say = (body) => (imagesOf(body).length && !sourcesOf(body).length ? see(looked().length) : chat.compose(body));
  const state = async (agent, name) => {
    const { index_status, status_reason } = await agent.page(name);
    return [index_status, status_reason];
  };
  const blocks = async (agent, name) =>
    (await agent.expect(200, "GET", `/pages/${(await agent.page(name)).id}/text`)).blocks;
  return { server, chat, kb, looked, state, blocks };
}
