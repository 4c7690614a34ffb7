// A provider of sign-ins before two nodes: either takes back whom the other sent, and both know who is out.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { nodesOf } from "./lib/cluster.mjs";
import { PEOPLE, ROLES, away, pages } from "./lib/entering.mjs";
import { assert, test, until } from "./lib/harness.mjs";
import { database } from "./lib/postgres.mjs";
import { CLIENT, SECRET, provider } from "./lib/provider.mjs";
import { PUBLIC, ask, mint } from "./lib/tokens.mjs";
import { folder } from "./lib/util.mjs";

test("one node sends a browser to the provider, the other takes it back, and its end reaches both", async (t) => {
  const { url } = await database();
  const dir = await folder(t);
  const [roles, secret, blobs] = ["roles", "secret", "blobs"].map((name) => path.join(dir, name));
  await writeFile(roles, ROLES);
  await writeFile(secret, SECRET);
  let nodes;
  const idp = await provider(t, { people: PEOPLE(), docents: () => [PUBLIC], tells: () => [nodes[0].url] });
  const place = { DOCENT_STORE: url, DOCENT_BLOB: blobs };
  nodes = await nodesOf(t, [place, place], {
    args: [
      ...["--oidc-issuer", idp.issuer, "--oidc-client-id", CLIENT, "--oidc-client-secret-file", secret],
      ...["--roles", roles, "--public-url", PUBLIC],
    ],
  });
  idp.begin();
  const [first, second] = nodes;
  const { browser, callback } = await away(first, idp, "ann", undefined, PUBLIC);
  browser.jars[second.url] = { ...browser.jars[first.url] }; // one address, two nodes behind it
  const back = await browser.get(callback.replace(PUBLIC, second.url));
  assert.deepEqual([back.status, back.headers.location], [303, "/agents"], second.log);
  const asking = pages(second, browser);
  const is = () => Promise.all(nodes.map(async (node) => (await node.api("GET", "/projects", asking)).status));
  assert.deepEqual(await is(), [200, 200]);
  // A program of hers is known to both, whichever node has signed her in.
  const agent = await first.agent();
  const tokens = () => Promise.all(nodes.map(async (node) => (await ask(node, agent, mint(idp, agent))).status));
  assert.deepEqual(await tokens(), [200, 200]);
  // Used up, on either.
  browser.jars[first.url] = { ...browser.jars[second.url] };
  for (const node of nodes) {
    const again = await browser.get(callback.replace(PUBLIC, node.url));
    assert.equal(again.headers.location, "/login?provider=again");
  }
  // The provider tells the first node.
  const end = await browser.get(`${idp.issuer}/session/end?client_id=docent`);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(end.text)[1];
  await browser.get(`${idp.issuer}/session/end/confirm`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `xsrf=${xsrf}&logout=yes`,
  });
  await until("it to be out on both", async () => (await is()).every((status) => status === 401));
  // Who is let go on one node is nobody on the other.
  const [ann] = await first.expect(200, "GET", "/people");
  await first.expect(200, "DELETE", `/people/${ann.id}`);
  assert.deepEqual(await tokens(), [401, 401]);
});
