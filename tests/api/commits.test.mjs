// A node whose database makes a commit, and whose connection ends before it hears of that: whatever was
// asked for is done once, and said to be.
import net from "node:net";
import path from "node:path";
import { assert, form, start, test } from "./lib/harness.mjs";
import { database } from "./lib/postgres.mjs";
import { folder, unique } from "./lib/util.mjs";

/** Stands between a node and its database; keeps every `every`th answer to a commit to itself, and hangs up. */
async function proxy(t, url, every) {
  const { searchParams, pathname } = new URL(url.replace("@/", "@localhost/"));
  const dir = await folder(t);
  const seen = { commits: 0, lost: 0 };
  const open = new Set();
  const server = net.createServer((client) => {
    const server = net.connect(path.join(searchParams.get("host"), ".s.PGSQL.5432"));
    for (const one of [client, server]) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        open.delete(one);
        for (const other of [client, server]) other.destroy();
      });
    }
    client.pipe(server);
    server.on("data", (bytes) => {
      const made = bytes.includes("COMMIT\0") && ++seen.commits % every === 0;
      if (!made || !seen.on) return client.write(bytes);
      seen.lost++;
      client.destroy();
    });
  });
  await new Promise((resolve) => server.listen(path.join(dir, ".s.PGSQL.5432"), resolve));
  t.after(() => {
    for (const one of open) one.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { seen, url: `postgresql://docent@${pathname}?host=${dir}` };
}

test("what was committed while the connection ended is done once, and acknowledged", async (t) => {
  const { url } = await database();
  const between = await proxy(t, url, 3);
  const blobs = path.join(await folder(t), "blobs");
  const kb = await start(t, { env: { DOCENT_STORE: between.url, DOCENT_BLOB: blobs } });
  const agent = await kb.agent({ files: { "w.txt": "The warranty of the kettle lasts 27 months." } });
  between.seen.on = true;
  const asked = await Promise.all(
    Array.from({ length: 24 }, (_, i) =>
      agent.ask("How long does the warranty of the kettle last?", { session: `s${i % 3}` }),
    ),
  );
  const files = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`${i}.txt`, unique(i)]));
  for (const [name, text] of Object.entries(files))
    await agent.expect(200, "POST", "", { form: form({}, { [name]: text }) });
  await agent.settled();
  between.seen.on = false;

  assert.ok(between.seen.lost > 5, `${between.seen.lost} answers of ${between.seen.commits} were lost`);
  assert.equal(new Set(asked.map(({ id }) => id)).size, 24);
  assert.ok(asked.every(({ llm_response }) => /27 months/.test(llm_response)));
  let total = 0;
  for (const session of ["s0", "s1", "s2"])
    total += (await agent.expect(200, "GET", `/conversations/${session}/messages`)).messages.total;
  assert.equal(total, 24);
  assert.equal((await agent.expect(200, "GET", "/stats")).total_queries, 24);
  assert.equal((await agent.pages()).length, 7);
  assert.equal(await kb.stop(), 0);
  const check = await kb.cli("check");
  assert.equal(check.code, 0, check.stdout + check.stderr);
});
