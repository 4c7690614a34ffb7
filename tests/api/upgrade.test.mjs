// A rolling upgrade: nodes of an older program and of this one on one database. The older program is
// named by DOCENT_OLDER_BINARY, such as a build of the last release; without it a unit test alone
// (tests/unit/store/upgrade_test.c) says that additions do not disturb who is there.
import path from "node:path";
import { Clients, at } from "./lib/cluster.mjs";
import { assert, start, test } from "./lib/harness.mjs";
import { database } from "./lib/postgres.mjs";
import { binary } from "./lib/service.mjs";
import { folder } from "./lib/util.mjs";

const older = process.env.DOCENT_OLDER_BINARY;
const QUESTION = "How long does the warranty of the kettle last?";
const warranty = { "warranty.txt": "The warranty of the kettle lasts 27 months." };

if (older)
  test("nodes of an older program are replaced one after the other, under load", async (t) => {
    const { url } = await database();
    const env = { DOCENT_STORE: url, DOCENT_BLOB: path.join(await folder(t), "blobs") };
    const node = (i, program) => start(t, { env, program, args: ["--node", `n${i + 1}`], key: false });
    const nodes = [];
    for (let i = 0; i < 3; i++) nodes.push(await node(i, older));
    // This program makes the key, and first of all adds to the schema what is new.
    const key = await nodes[0].newKey();
    for (const one of nodes) one.key = key;
    const agent = await nodes[0].agent({ files: warranty });
    const clients = new Clients(nodes, agent);
    for (const one of nodes) {
      await clients.moves(10);
      assert.equal(await one.stop(), 0);
      Object.assign(one, { program: binary, openapi: null });
      await one.spawn();
      await clients.moves(10);
      for (const other of nodes) assert.match((await at(other, agent).ask(QUESTION)).llm_response, /27 months/);
    }
    await clients.verify();
  });
