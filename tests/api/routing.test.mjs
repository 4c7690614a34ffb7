// Which of a master's agents a question is for, where a model says so.
import { randomUUID } from "node:crypto";
import { assert, start, test, until } from "./lib/harness.mjs";
import { contentOf, promptOf, sourcesOf } from "./lib/chat.mjs";
import { counted } from "./lib/figures.mjs";
import { espresso, foreign, lighthouse, noAnswer, returns } from "./lib/documents.mjs";
import { models } from "./lib/models.mjs";

const builder = "Who built the Velmora lighthouse?";
const isRouting = (body) => /choose which of these assistants/.test(contentOf(body.messages[0]));

/** A master of two, with a model that routes as `says`: a text, or a function of the request. */
async function family(t, says, { sea: more = {} } = {}) {
  const server = await models(t);
  const { chat } = server;
  const state = { says };
  chat.say = (body) => {
    if (!isRouting(body)) return body.stream ? chat.compose(body) : "-";
    return typeof state.says === "function" ? state.says(body) : state.says;
  };
  const kb = await start(t, { env: { ...server.chatEnv(), ...server.embedEnv(), DOCENT_MODEL_CHORES: "no" } });
  const sea = await kb.agent({ project_name: "Sea", files: { "lighthouse.md": lighthouse }, ...more });
  const coffee = await kb.agent({ project_name: "Coffee", files: { "espresso.md": espresso } });
  const master = await kb.agent({ project_name: "Master", is_master: "true", files: { "returns.txt": returns } });
  await master.expect(200, "POST", "", { json: { child_project_ids: [sea.id, coffee.id] } });
  const mode = (value) =>
    master.expect(200, "POST", "/settings", { json: { master_project_smart_routing_mode: value } });
  const say = (prompt, { session = randomUUID(), ...json } = {}) =>
    master.expect(200, "POST", `/conversations/${session}/messages`, { json: { prompt, ...json } });
  const routings = () => chat.seen.filter(({ body }) => isRouting(body));
  return { server, kb, chat, state, master, sea, coffee, mode, say, routings };
}

test("the model is told what each agent is and what is found there, and the one that it names answers", async (t) => {
  const { kb, chat, master, sea, coffee, mode, say, routings } = await family(t, "2");
  await mode("every-message");
  await coffee.expect(200, "POST", "/settings", {
    json: { persona_instructions: "You are Carla of the coffee bar.", response_source: "llm_content" },
  });
  const message = await say(builder);
  assert.equal(message.child_project_id, coffee.id, "against the rule's choice");
  const [routing] = routings();
  assert.deepEqual([routing.body.stream, routing.body.max_tokens], [false, 64]);
  const told = promptOf(routing.body);
  for (const words of ["1. Sea\n", "2. Coffee\n", "3. Master\n", "Carla", "Found: ", builder])
    assert.ok(told.includes(words), `${words} in ${told}`);
  const [answer] = chat.answers;
  assert.ok(contentOf(answer.body.messages[0]).includes("You are Carla of the coffee bar."));
  assert.ok(!sourcesOf(answer.body).some(({ text }) => text.includes("Quillby")));
  const { models: used } = await coffee.expect(200, "GET", "/reports/models");
  assert.equal(used[0].answers, 1);
  const words = (text) => text.match(/[\p{L}\p{N}]+/gu).length;
  assert.equal(used[0].prompt_tokens, words(told) + words(promptOf(answer.body)), "both requests are counted");
  await counted(kb, { searches_total: 3 + 1 });
  const streamed = await master.stream(builder);
  assert.equal(chat.seen.length, 4);
  assert.equal(streamed.events.at(-1).event, "finish");
});

test("start-only: the model picks once, and the conversation stays", async (t) => {
  const { say, sea, coffee, routings } = await family(t, "2.");
  const session = randomUUID();
  assert.equal((await say("Hello!", { session })).child_project_id, undefined);
  assert.equal(routings().length, 0, "a greeting needs nobody");
  assert.equal((await say(builder, { session })).child_project_id, coffee.id);
  assert.equal((await say(builder, { session })).child_project_id, coffee.id);
  assert.equal(routings().length, 1);
  assert.equal((await say(builder, { session, child_project_id: sea.id })).child_project_id, sea.id);
  assert.equal(routings().length, 1, "nor does a request that names one");
});

test("who answers is not searched in once more, nor what the rule has found after a rewriting that finds less", async (t) => {
  const { kb, sea, mode, say } = await family(t, "0");
  await mode("every-message");
  const session = randomUUID();
  assert.equal((await say(builder, { session })).child_project_id, sea.id);
  await counted(kb, { searches_total: 3 });
  // The model's question is "-": it is searched for, and what the rule's reading of the turn has found stays.
  const { llm_response: said } = await say("And who paid for it?", { session });
  assert.ok(said);
  await counted(kb, { searches_total: 3 + 3 + 1 });
});

test("the rule's choice stays where the model names none, or nothing that can be used, or fails", async (t) => {
  const { chat, state, sea, mode, say } = await family(t, "0");
  await mode("every-message");
  for (const text of ["0", "4", "-1", "Sea", "1 or 2", "", "<think>2</think>"]) {
    state.says = text;
    const message = await say(builder);
    assert.equal(message.child_project_id, sea.id, text);
    assert.ok(message.llm_response.includes("Hester Quillby"), text);
  }
  chat.modes = ["401"];
  assert.equal((await say(builder)).child_project_id, sea.id);
  state.says = "0";
  const none = await say(foreign[0]);
  assert.deepEqual([none.child_project_id, none.llm_response], [undefined, noAnswer]);
});

test("what labels hide is in no routing, and what one of the agents masks is masked", async (t) => {
  const { server, sea, mode, say, routings } = await family(t, "1", { sea: { is_anonymized: "true" } });
  await sea.add({
    "board.md": "# CANARY-77\n\nThe board of the Velmora lighthouse paid Hester Quillby CANARY-77 crowns.",
  });
  const [label] = await sea.expect(201, "POST", "/labels", { json: { names: ["board"] } });
  const page = await sea.page("board.md");
  await sea.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id] } });
  await mode("every-message");
  await until("the documents' own vectors", () => server.texts().some((text) => text.includes("CANARY")));
  server.log.length = 0;
  for (const prompt of [builder, "What did the board of the Velmora lighthouse pay?"])
    await say(`I am ottilie@example.com. ${prompt}`);
  assert.equal(routings().length, 2);
  const sent = JSON.stringify([server.chat.seen, server.log]);
  for (const secret of ["CANARY", "ottilie@example.com"]) assert.ok(!sent.includes(secret), secret);
});
