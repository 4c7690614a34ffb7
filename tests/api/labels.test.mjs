// Labels: the agent's set of them, those of documents, and what questions find.
import { randomUUID } from "node:crypto";
import { assert, form, start, test } from "./lib/harness.mjs";
import { library, noAnswer } from "./lib/documents.mjs";

const question = "How long does the warranty of the Brisca 200 last?";

/** An agent with the library; espresso.md carries the labels named. */
async function labelled(t, names = ["staff"]) {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const page = await agent.page("espresso.md");
  const made = await agent.expect(201, "POST", "/labels", { json: { names } });
  const ids = Object.fromEntries(made.map((label) => [label.name, label.id]));
  const label = (...wanted) =>
    agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: wanted.map((name) => ids[name]) } });
  /** Whether a question with these fields finds the document. */
  const finds = async (fields = {}) => {
    const message = await agent.expect(200, "POST", `/conversations/${randomUUID()}/messages`, {
      json: { prompt: question, ...fields },
    });
    const found = (message.citations ?? []).includes(page.id);
    assert.equal(found, message.llm_response.includes("27 months"), message.llm_response);
    return found;
  };
  return { kb, agent, page, ids, label, finds };
}

test("a label is made, listed, read, renamed, deleted and brought back", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const [hr, legal] = await agent.expect(201, "POST", "/labels", { json: { names: ["hr", "legal"] } });
  assert.deepEqual([hr.name, hr.project_id, hr.users, hr.deleted_at], ["hr", agent.id, [], null]);
  const list = await agent.expect(200, "GET", "/labels", { query: { order: "asc" } });
  assert.deepEqual([list.data.map((l) => l.name), list.total, list.per_page], [["hr", "legal"], 2, 100]);
  assert.deepEqual(
    (await agent.expect(200, "GET", "/labels", { query: { limit: 1, page: 2 } })).data,
    [hr],
    "newest first",
  );
  assert.deepEqual(await agent.expect(200, "GET", `/labels/${hr.id}`), hr);
  assert.equal((await agent.expect(200, "PUT", `/labels/${hr.id}`, { json: { name: "people" } })).name, "people");
  assert.deepEqual(await agent.expect(200, "DELETE", `/labels/${hr.id}`), { deleted: true });
  for (const [method, json] of [["GET"], ["PUT", { name: "x" }], ["DELETE"]])
    assert.equal(
      (await agent.api(method, `/labels/${hr.id}`, { json })).json.message,
      `Label with id ${hr.id} not found`,
    );
  assert.deepEqual((await agent.expect(200, "GET", "/labels")).data, [legal]);
  const [back] = await agent.expect(201, "POST", "/labels", { json: { name: "People" } });
  assert.equal(back.id, hr.id, "of that name there was one");
});

test("names are 1 to 20 characters and begin with no digit", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const cases = [
    [{}, "names can't be empty"],
    [{ names: [] }, "names can't be empty"],
    [{ names: ["ok", ""] }, "a label's name can't be empty"],
    [{ names: [7] }, "names[0] must be a string"],
    [{ names: ["x".repeat(21)] }, "a label's name has 21 characters, the limit is 20"],
    [{ names: ["7up"] }, "a label's name can't start with a digit: 7up"],
  ];
  for (const [json, message] of cases) {
    const reply = await agent.api("POST", "/labels", { json });
    assert.deepEqual([reply.status, reply.json.message], [400, message]);
  }
  assert.equal((await agent.expect(200, "GET", "/labels")).total, 0, "a refused request makes none");
  const made = await agent.expect(201, "POST", "/labels", { json: { names: ["x".repeat(20), "ä".repeat(20)] } });
  assert.equal(made.length, 2);
  const reply = await agent.api("PUT", `/labels/${made[0].id}`, { json: { name: "Ä".repeat(20) } });
  assert.deepEqual(
    [reply.status, reply.json.message],
    [400, `Label with id ${made[1].id} is already named ${"Ä".repeat(20)}`],
  );
  for (const where of ["/labels/abc", "/pages/abc/labels"]) assert.equal((await agent.api("GET", where)).status, 400);
});

test("forms make labels too", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const names = async (options) => (await agent.expect(201, "POST", "/labels", options)).map((label) => label.name);
  assert.deepEqual(
    await names({
      urlencoded: [
        ["names[]", "a"],
        ["names[]", "b"],
      ],
    }),
    ["a", "b"],
  );
  assert.deepEqual(await names({ urlencoded: { name: "c" } }), ["c"]);
  assert.deepEqual(await names({ form: form({ names: '["d","e"]' }) }), ["d", "e"]);
});

test("users are assigned to labels and taken away", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const [hr, legal] = await agent.expect(201, "POST", "/labels", { json: { names: ["hr", "legal"] } });
  const set = await agent.expect(200, "PUT", "/labels", {
    json: {
      labels: [
        { id: hr.id, users: ["Ann@x.org", "bob@x.org", "ann@x.org"] },
        { id: String(legal.id), users: ["eve@x.org"] },
      ],
    },
  });
  assert.deepEqual(
    set.map((label) => label.users),
    [["ann@x.org", "bob@x.org"], ["eve@x.org"]],
  );
  assert.deepEqual(
    await agent.expect(200, "DELETE", "/labels/users", { json: { labels: [{ id: hr.id, users: ["ANN@x.org"] }] } }),
    { deleted: true },
  );
  assert.deepEqual((await agent.expect(200, "GET", `/labels/${hr.id}`)).users, ["bob@x.org"]);
  for (const labels of [
    undefined,
    7,
    [7],
    [{ id: hr.id }],
    [{ id: hr.id, users: "a@b" }],
    [{ id: hr.id, users: ["no address"] }],
    [{ users: [] }],
  ])
    assert.equal((await agent.api("PUT", "/labels", { json: { labels } })).status, 400, JSON.stringify(labels));
  const reply = await agent.api("PUT", "/labels", {
    json: {
      labels: [
        { id: hr.id, users: [] },
        { id: 999, users: [] },
      ],
    },
  });
  assert.deepEqual([reply.status, reply.json.message], [404, "Label with id 999 not found"]);
  assert.deepEqual((await agent.expect(200, "GET", `/labels/${hr.id}`)).users, ["bob@x.org"], "all or none");
});

test("a document's labels are read and replaced", async (t) => {
  const { agent, page, ids, label } = await labelled(t, ["staff", "board"]);
  assert.deepEqual(await agent.expect(200, "GET", `/pages/${page.id}/labels`), []);
  assert.deepEqual(
    (await label("board", "staff", "staff")).map((l) => l.name),
    ["staff", "board"],
  );
  assert.deepEqual(
    (await label("board")).map((l) => l.name),
    ["board"],
  );
  assert.deepEqual(
    (await agent.expect(200, "GET", `/pages/${page.id}/labels`)).map((l) => l.id),
    [ids.board],
  );
  const refused = async (label_ids) =>
    (await agent.api("PUT", `/pages/${page.id}/labels`, { json: { label_ids } })).json;
  assert.equal((await refused([ids.staff, 999])).message, "label_ids holds 999, which is no label of this agent");
  assert.equal((await refused(Array(51).fill(ids.staff))).message, "label_ids holds 51 labels, the limit is 50");
  assert.equal((await refused("staff")).message, "label_ids must be an array of integers");
  assert.equal((await refused([true])).message, "label_ids[0] must be integer");
  assert.deepEqual(
    (await agent.expect(200, "GET", `/pages/${page.id}/labels`)).map((l) => l.id),
    [ids.board],
    "the refused ones changed nothing",
  );
  for (const [method, json] of [["GET"], ["PUT", { label_ids: [] }]])
    assert.equal(
      (await agent.api(method, "/pages/999999/labels", { json })).json.message,
      "Page with id 999999 not found",
    );
  assert.deepEqual(await label(), []);
});

test("a labelled document is found only by questions that carry a label of it", async (t) => {
  const { ids, label, finds } = await labelled(t, ["staff", "board", "hr"]);
  assert.equal(await finds(), true, "it has no labels yet");
  assert.equal(await finds({ labels: ["staff"] }), true);
  assert.equal(await finds({ labels: ["staff"], labels_exclusive: true }), false);
  await label("staff", "board");
  const cases = [
    [undefined, false],
    [null, false],
    [[], false],
    [["staff"], true],
    [["board", "hr"], true],
    [[ids.staff], true],
    [[String(ids.board)], true],
    [["STAFF"], true],
    [["hr"], false],
    [["nobody"], false],
    [["nobody", "staff"], true],
    [[4711], false],
    ["staff", false],
    [{ staff: 1 }, false],
    [[{}], false],
    [[["staff"], ["board"]], true],
    [[["staff"], ["hr"]], false],
    [
      [
        ["staff", "hr"],
        ["board", "hr"],
      ],
      true,
    ],
    [[["staff"], ["nobody"]], false],
    [[["staff"], []], true],
    [["staff", []], true],
    [[["staff"], null], true],
    [[["staff"], [null, {}]], true],
    [[[], [null]], false],
    [["staff", ["hr"]], false],
  ];
  for (const [labels, found] of cases)
    for (const labels_exclusive of [false, true])
      assert.equal(await finds({ labels, labels_exclusive }), found, JSON.stringify({ labels, labels_exclusive }));
});

test("the very next question sees labels put on, taken off, renamed, deleted and brought back", async (t) => {
  const { agent, ids, page, label, finds } = await labelled(t);
  for (let i = 0; i < 5; i++) {
    await label("staff");
    assert.deepEqual([await finds(), await finds({ labels: ["staff"] })], [false, true]);
    await label();
    assert.deepEqual([await finds(), await finds({ labels: ["staff"] })], [true, true]);
  }
  await label("staff");
  await agent.expect(200, "PUT", `/labels/${ids.staff}`, { json: { name: "team" } });
  assert.deepEqual([await finds({ labels: ["staff"] }), await finds({ labels: ["team"] })], [false, true]);
  // Deleting the label does not open what it closed.
  await agent.expect(200, "DELETE", `/labels/${ids.staff}`);
  assert.deepEqual(
    [await finds(), await finds({ labels: ["team"] }), await finds({ labels: [ids.staff] })],
    [false, false, false],
  );
  const [carried] = await agent.expect(200, "GET", `/pages/${page.id}/labels`);
  assert.equal(carried.id, ids.staff);
  assert.notEqual(carried.deleted_at, null, "the document says that it carries a deleted label");
  await agent.expect(201, "POST", "/labels", { json: { names: ["Team"] } });
  assert.deepEqual([await finds(), await finds({ labels: ["team"] })], [false, true]);
});

test("streams, forms and chat/completions obey labels", async (t) => {
  const { kb, agent, page, label } = await labelled(t);
  await label("staff");
  const streamed = async (json) => (await agent.stream(question, { json })).finish.citations;
  assert.deepEqual([await streamed({}), await streamed({ labels: ["staff"] })], [null, [page.id]]);
  const sent = async (options) =>
    (await agent.expect(200, "POST", `/conversations/${randomUUID()}/messages`, options)).citations;
  for (const [labels, cited] of [
    ['["staff"]', [page.id]],
    ['[["staff"],["hr"]]', null],
    ["staff", null],
  ]) {
    assert.deepEqual(await sent({ urlencoded: { prompt: question, labels } }), cited, labels);
    assert.deepEqual(await sent({ form: form({ prompt: question, labels }) }), cited, labels);
  }
  assert.deepEqual(
    await sent({
      urlencoded: [
        ["prompt", question],
        ["labels[]", "hr"],
        ["labels[]", "staff"],
      ],
    }),
    [page.id],
  );
  const chat = async (fields) =>
    (
      await kb.api("POST", `${agent.path}/chat/completions`, {
        json: { messages: [{ role: "user", content: question }], ...fields },
      })
    ).json;
  assert.equal((await chat({})).choices[0].message.content, noAnswer);
  assert.deepEqual((await chat({ labels: ["staff"] })).citations, [page.id]);
  assert.deepEqual((await chat({ labels: [["staff"], ["staff"]], labels_exclusive: true })).citations, [page.id]);
  assert.deepEqual((await chat({ labels: ["hr"], labels_exclusive: true })).citations, []);
});

test("the filter's limits are refused with figure and limit, for messages and chat/completions", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const cases = [
    [Array(21).fill(["a"]), "labels holds 21 groups, the limit is 20"],
    [Array(51).fill("a"), "labels holds a group of 51 labels, the limit is 50"],
    [Array(11).fill(Array(50).fill("a")), "labels holds 550 labels, the limit is 500"],
    [["a".repeat(101)], "labels holds a label of 101 characters, the limit is 100"],
    [Array(20).fill(Array(25).fill("a".repeat(100))), null],
  ];
  for (const [labels, message] of cases)
    for (const [where, json] of [
      [`/conversations/${randomUUID()}/messages`, { prompt: "Hello" }],
      ["/chat/completions", { messages: [{ role: "user", content: "Hello" }] }],
    ]) {
      const reply = await agent.api("POST", where, { json: { ...json, labels } });
      assert.deepEqual([reply.status, reply.json.message], message ? [400, message] : [200, undefined]);
    }
  assert.equal(
    (await agent.expect(200, "GET", "/conversations")).total,
    2,
    "a refused question starts no conversation",
  );
});

test("an overview names only documents that its labels open", async (t) => {
  const { agent, label } = await labelled(t);
  const topics = async (fields) =>
    (
      await agent.expect(200, "POST", `/conversations/${randomUUID()}/messages`, {
        json: { prompt: "What do you know about?", ...fields },
      })
    ).llm_response;
  assert.match(await topics(), /Brisca 200/);
  await label("staff");
  const closed = await topics();
  assert.ok(closed.includes("Velmora") && !closed.includes("Brisca"), closed);
  assert.match(await topics({ labels: ["staff"] }), /Brisca 200/);
  const only = await topics({ labels: ["staff"], labels_exclusive: true });
  assert.ok(only.includes("Brisca") && !only.includes("Velmora"), only);
});

test("a follow-up does not reach what its own labels do not open", async (t) => {
  const { agent, page, label } = await labelled(t);
  await label("staff");
  const session = randomUUID();
  const ask = (prompt, fields) =>
    agent.expect(200, "POST", `/conversations/${session}/messages`, { json: { prompt, ...fields } });
  assert.deepEqual((await ask(question, { labels: ["staff"] })).citations, [page.id]);
  const further = "And how many litres does its water tank hold?";
  assert.deepEqual((await ask(further, { labels: ["staff"] })).citations, [page.id]);
  const after = await ask(further, {});
  assert.ok(!(after.citations ?? []).includes(page.id) && !after.llm_response.includes("1.8"), after.llm_response);
  // The owner of the key may resolve any citation.
  assert.equal((await agent.expect(200, "GET", `/citations/${page.id}`)).id, page.id);
});

test("32 clients that change labels of one agent lose no acknowledged change", async (t) => {
  const kb = await start(t);
  const clients = 32,
    rounds = 8;
  const files = Object.fromEntries(
    Array.from({ length: clients }, (_, i) => [`${i}.txt`, `Crate ${i} holds ${i} apples.`]),
  );
  const agent = await kb.agent({ files });
  const pages = await agent.pages();
  const shared = (await agent.expect(201, "POST", "/labels", { json: { names: ["shared"] } }))[0];
  const wanted = await Promise.all(
    pages.map(async (page, i) => {
      let [label] = await agent.expect(201, "POST", "/labels", { json: { names: [`client ${i}`, "shared"] } });
      for (let round = 0; round < rounds; round++) {
        label = await agent.expect(200, "PUT", `/labels/${label.id}`, { json: { name: `client ${i}-${round}` } });
        [label] = await agent.expect(200, "PUT", "/labels", {
          json: { labels: [{ id: label.id, users: [`${i}-${round}@x.org`] }] },
        });
        await agent.expect(200, "PUT", `/pages/${page.id}/labels`, {
          json: { label_ids: round % 2 ? [label.id, shared.id] : [shared.id] },
        });
      }
      return label;
    }),
  );
  for (const [i, label] of wanted.entries()) {
    assert.deepEqual([label.name, label.users], [`client ${i}-${rounds - 1}`, [`${i}-${rounds - 1}@x.org`]]);
    assert.deepEqual(await agent.expect(200, "GET", `/labels/${label.id}`), label);
    assert.deepEqual(
      (await agent.expect(200, "GET", `/pages/${pages[i].id}/labels`)).map((l) => l.id),
      [shared.id, label.id],
    );
  }
  assert.equal((await agent.expect(200, "GET", "/labels")).total, clients + 1);
});

test("labels survive a restart and go with their agent", async (t) => {
  const { kb, agent, label, finds } = await labelled(t);
  await label("staff");
  await kb.restart();
  assert.deepEqual([await finds(), await finds({ labels: ["staff"] })], [false, true]);
  await agent.expect(200, "DELETE", "");
  assert.equal((await agent.api("GET", "/labels")).status, 404);
  await kb.stop();
  assert.equal((await kb.cli("check")).code, 0, "nothing is left behind");
});
