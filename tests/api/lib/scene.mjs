// An agent with one of everything, so that every route of the description has ids to be asked with.
import assert from "node:assert/strict";
import { library, questions } from "./documents.mjs";
import { typedPdf } from "./print.mjs";
import { signedIn } from "./people.mjs";
import { fill, rightQuery, variables } from "./requests.mjs";
import { until } from "./util.mjs";

/** versions: how many personas are saved over the first one. */
export async function furnished(kb, { key, name, versions = 0 }) {
  const sheet = typedPdf([["The boat house of Velmora has two doors."]]);
  const agent = await kb.agent({
    key,
    project_name: name,
    files: { ...library, "sheet.pdf": sheet, "gone.md": "Gone." },
  });
  const gone = await agent.page("gone.md");
  await agent.expect(200, "DELETE", `/pages/${gone.id}`);
  const goneAgent = await kb.agent({ key, project_name: `${name}, gone` });
  await goneAgent.expect(200, "DELETE");
  const message = await agent.ask(questions[0][0]);
  const page = await agent.page("sheet.pdf"); // it has pages to look at
  const { operations } = await kb.description();
  const ids = {
    projectId: agent.id,
    agentId: agent.id,
    model: agent.id,
    pageId: page.id,
    citationId: page.id,
    deletedId: gone.id,
    deletedAgentId: goneAgent.id,
    pageNo: 1,
    pictureId: "0".repeat(64),
    sessionId: message.session,
    messageId: message.id,
    version: 1 + versions,
    slug: "persona-summary",
    file: "avatar.png",
    userId: agent.record.user_id,
    screen: "ask",
    groupId: 1,
    resourceType: "User",
    schema: "urn:ietf:params:scim:schemas:core:2.0:User",
    programId: 1, // nobody lets one in where the service has no name
    secret: "AAAAAAAAAAAAAAAAAAAAAA", // of a shared conversation, which there is not
  };
  ids.keyId = (await kb.expect(201, "POST", "/keys", { key, json: { name: `of ${name}` } })).id;
  ids.personId = (await kb.expect(201, "POST", "/people", { key, json: { name: `of ${name}` } })).person.id;
  ids.tokenId = (await kb.expect(201, "POST", "/directory-tokens", { key, json: { name: `of ${name}` } })).id;
  ids.browserId =
    (await signedIn(kb, { key: key ?? kb.key })) && (await kb.expect(200, "GET", "/sessions", { key }))[0].id;
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: [`of ${name}`] } });
  await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id] } });
  ids.labelId = label.id;
  const answered = { question: `What is ${name}?`, answer: "An agent." };
  ids.answerId = (await agent.expect(201, "POST", "/answers", { json: answered })).id;

  await agent.ask("What is the boiling point of tungsten?");
  ids.gapId = (
    await until("the gap", async () => (await agent.expect(200, "GET", "/gaps")).data.find((gap) => gap.unanswered))
  ).id;

  // Its one page is refused at once: no address on loopback may be fetched here.
  await agent.expect(201, "POST", "/sources", { json: { sitemap_path: `http://127.0.0.1:9/${agent.id}.html` } });
  ids.sourceId = (
    await until("the source to be read", async () => {
      const [source] = (await agent.expect(200, "GET", "/sources")).sitemaps;
      return source.sync_status !== "queued" && (await agent.settled()) && source;
    })
  ).id;

  for (let i = 1; i <= versions; i++)
    await agent.expect(200, "POST", "/settings", { json: { persona_instructions: `Be kind, ${i} times.` } });
  // The routing map is made again once the documents are there.
  await until("the sub-personas", async () => {
    const { is_generating, generated } = await agent.expect(
      200,
      "GET",
      `/settings/persona/${ids.version}/sub-personas`,
    );
    return (
      !is_generating &&
      generated.some(
        ({ slug, instructions }) =>
          slug === "task-planner" &&
          instructions.includes("The Velmora Lighthouse") &&
          instructions.includes(answered.question),
      )
    );
  });

  ids.testId = (await agent.expect(201, "POST", "/tests", { json: { question: answered.question } })).id;
  await until("the test to be asked", async () => {
    const [kept] = (await agent.expect(200, "GET", "/tests")).data;
    return kept.state !== "waiting";
  });

  // What visitors are greeted with is made once somebody has asked for it.
  await until("the opening", async () => !(await agent.expect(200, "GET", "/opening")).is_coming);

  await agent.expect(200, "POST", "", { json: { are_licenses_allowed: true } });
  const { license, licenseKey } = await agent.expect(201, "POST", "/licenses", { json: { name: `of ${name}` } });
  Object.assign(ids, { licenseId: license.id, licenseKey });
  await agent.expect(201, "POST", "/plugins", { json: { model_name: "scene", human_name: name } });
  // Documents that disagree are looked for once somebody has asked for them.
  await until("documents to be compared", async () => !(await agent.expect(200, "GET", "/conflicts")).is_coming);
  return { agent, ids, operations };
}

/** All that a reader can see of an agent: every GET route, asked with its ids. */
export async function picture({ agent, ids, operations }) {
  const seen = {};
  for (const { method, path, operation } of operations)
    if (method === "GET" && !operation.security && variables(path).length) {
      const reply = await agent.kb.api("GET", fill(path, ids), { key: agent.key, query: rightQuery(operation) });
      assert.equal(reply.status, 200, `GET ${path}: ${reply.text}`);
      // What differs from call to call, and when a test was asked, which is done again by itself.
      const same = (key, value) => (["took_us", "asked_at"].includes(key) ? undefined : value);
      seen[path] = reply.json ? JSON.parse(JSON.stringify(reply.json), same) : reply.text;
    }
  return seen;
}
