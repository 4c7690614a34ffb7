// Hosts as they are today: TLS, HTTP/2, and bodies packed in either way.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import http2 from "node:http2";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { assert, start, test, until } from "./lib/harness.mjs";
import { mayFetch } from "./lib/site.mjs";
import { folder } from "./lib/util.mjs";

/** A website over HTTP/2 and nothing older, under a certificate of its own. */
async function modern(t) {
  const dir = await folder(t);
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => path.join(dir, name));
  await promisify(execFile)("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
    ...["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
  ]);
  const asked = [];
  const page = (what, links = []) =>
    `<!doctype html><html><head><title>${what} page</title></head><body><main><h1>${what} page</h1><p>The ${what} parcels are kept in the hall of ${what} things.</p>${links.map((link) => `<a href="${link}">${link}</a>`).join(" ")}</main></body></html>`;
  const pages = {
    "/": { body: page("teal", ["/brotli", "/gzip"]) },
    "/brotli": { body: brotliCompressSync(page("grey")), "content-encoding": "br" },
    "/gzip": { body: gzipSync(page("gold")), "content-encoding": "gzip" },
  };
  const server = http2.createSecureServer({ key: await readFile(key), cert: await readFile(cert) });
  const sessions = new Set();
  server.on("session", (session) => sessions.add(session));
  server.on("stream", (stream, fields) => {
    const where = fields[":path"];
    asked.push({ where, packed: fields["accept-encoding"], version: stream.session.alpnProtocol });
    const found = pages[where];
    if (!found) return stream.respond({ ":status": 404 }, { endStream: true });
    const { body, ...more } = found;
    stream.respond({ ":status": 200, "content-type": "text/html; charset=utf-8", ...more });
    stream.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { url: `https://127.0.0.1:${server.address().port}`, cert, asked };
}

test("a website over HTTP/2 is read, brotli and gzip unpacked", async (t) => {
  const web = await modern(t);
  const kb = await start(t, { env: { ...mayFetch.env, SSL_CERT_FILE: web.cert } });
  const agent = await kb.agent({ sitemap_path: web.url });
  await until("the pages", async () => {
    const pages = await agent.pages();
    return pages.length === 3 && pages.every((page) => page.index_status === "ok");
  });
  assert.deepEqual(
    web.asked.filter(({ version }) => version !== "h2"),
    [],
  );
  assert.match(web.asked[0].packed, /gzip.*br/);
  for (const what of ["grey", "gold"])
    assert.match((await agent.ask(`Where are the ${what} parcels kept?`)).llm_response, new RegExp(`hall of ${what}`));
});

test("a certificate that nobody vouches for is a reason that a person can read", async (t) => {
  const web = await modern(t);
  const kb = await start(t, mayFetch);
  const agent = await kb.agent({ sitemap_path: `${web.url}/gzip` });
  const [page] = await until("the page to fail for the first time", async () => {
    const pages = await agent.pages();
    return /127\.0\.0\.1/.test(pages[0]?.status_reason ?? "") && pages;
  });
  assert.match(page.status_reason, /certificate/);
  assert.equal(web.asked.length, 0);
  await agent.expect(200, "DELETE");
});
