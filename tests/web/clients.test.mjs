// Client libraries in pages of other sites: the service is another origin to them.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { library, questions } from "../api/lib/documents.mjs";
import { assert, browse, start, test } from "./lib.mjs";

const modules = fileURLToPath(new URL("../api/node_modules/", import.meta.url));
const [question, , words] = questions[0];

/** A site that gives out an empty page and the npm packages as they are. */
async function site(t) {
  const types = { ".mjs": "text/javascript", ".js": "text/javascript" };
  const server = http.createServer(async (req, res) => {
    const type = types[path.extname(req.url)];
    const bytes = type && (await readFile(path.join(modules, path.normalize(req.url))).catch(() => null));
    if (type && !bytes) return res.writeHead(404).end();
    res.writeHead(200, { "content-type": type ?? "text/html" }).end(bytes || "<!doctype html><title>A site</title>");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

test("npm openai in a page of another site: an answer, a stream, an error with its request's id", async (t) => {
  if (!existsSync(path.join(modules, "openai/index.mjs"))) return t.skip("npm openai is not installed");
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const url = await site(t);
  const { page, quiet } = await browse(t, kb, { elsewhere: [url] });
  await page.goto(`${url}/`);
  const told = await page.evaluate(
    async ({ key, baseURL, question }) => {
      const { OpenAI } = await import("/openai/index.mjs");
      const client = new OpenAI({ apiKey: key, baseURL, dangerouslyAllowBrowser: true, maxRetries: 0 });
      const asked = { model: "any", messages: [{ role: "user", content: question }] };
      const whole = await client.chat.completions.create(asked);
      let streamed = "";
      for await (const chunk of await client.chat.completions.create({ ...asked, stream: true }))
        streamed += chunk.choices[0]?.delta?.content ?? "";
      const error = await client.chat.completions.create({ ...asked, messages: [] }).catch((e) => e);
      return {
        text: whole.choices[0].message.content,
        id: whole._request_id,
        streamed,
        error: { status: error.status, message: error.message, id: error.requestID },
      };
    },
    { key: kb.key, baseURL: `${kb.url}/api/v1${agent.path}`, question },
  );
  assert.ok(told.text.includes(words), told.text);
  assert.equal(told.streamed, told.text);
  assert.match(told.id, /^\w+-\d+$/);
  assert.equal(told.error.status, 400);
  assert.match(told.error.message, /messages must be an array/);
  assert.match(told.error.id, /^\w+-\d+$/);
  quiet();
});

test("a client of the Model Context Protocol in a page of another site sends the protocol's own fields", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const url = await site(t);
  const { page, quiet } = await browse(t, kb, { elsewhere: [url] });
  await page.goto(`${url}/`);
  const version = await page.evaluate(
    async ({ key, where }) => {
      const reply = await fetch(where, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-11-25",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
      });
      return (await reply.json()).jsonrpc;
    },
    { key: kb.key, where: `${kb.url}/mcp/projects/${agent.id}` },
  );
  assert.equal(version, "2.0");
  quiet();
});
