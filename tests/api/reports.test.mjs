// Reports: sums and lists of what was really asked, by every way of asking for them.
import { assert, start, test } from "./lib/harness.mjs";
import { foreign, library, questions } from "./lib/documents.mjs";

const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";
const report = (agent, name, query) => agent.expect(200, "GET", `/reports/${name}`, { query });

/** Two conversations: three questions, one of them without an answer; and one by chat/completions. */
async function asked(kb) {
  const agent = await kb.agent({ files: library });
  const first = await agent.ask(questions[0][0], { headers: { "user-agent": CHROME } });
  await agent.ask("Thanks!", { session: first.session });
  const none = await agent.ask(foreign[0]);
  assert.equal(none.citations, null);
  await agent.expect(200, "POST", "/chat/completions", {
    json: { messages: [{ role: "user", content: questions[2][0] }] },
  });
  await agent.expect(200, "PUT", `/conversations/${first.session}/messages/${first.id}/feedback`, {
    json: { reaction: "liked" },
  });
  return { agent, first };
}

test("traffic counts by where the questions came from", async (t) => {
  const kb = await start(t);
  const { agent } = await asked(kb);
  assert.deepEqual(await report(agent, "traffic"), {
    sources: [
      { request_source: "api", request_source_number: 3 },
      { request_source: "chat-completions", request_source_number: 1 },
    ],
  });
  const fresh = await kb.agent({ files: library });
  assert.deepEqual(await report(fresh, "traffic", "filters=sources"), { sources: [] });
});

test("queries and conversations, whole and by every form of filters", async (t) => {
  const kb = await start(t);
  const { agent } = await asked(kb);
  const total = { total: 4 };
  const status = {
    query_status: [
      { status: "success", count: 3 },
      { status: "failed", count: 1 },
    ],
  };
  for (const [query, want] of [
    ["", { ...total, ...status }],
    ["filters=total", total],
    ["filters[]=total", total],
    ["filters%5B%5D=query_status", status],
    ["filters[0]=total&filters[1]=query_status", { ...total, ...status }],
    ["filters=total&filters=query_status", { ...total, ...status }],
    ["filters=query_status,%20total", { ...total, ...status }],
    ["filters=", { ...total, ...status }],
    ["filters=,", { ...total, ...status }],
    ["other=1&page=9", { ...total, ...status }],
  ])
    assert.deepEqual(await report(agent, "queries", query), want, query);
  assert.deepEqual(await report(agent, "conversations"), { total: 3, average_queries_per_conversation: 1.33 });
  assert.deepEqual(await report(agent, "conversations", "filters[]=average_queries_per_conversation"), {
    average_queries_per_conversation: 1.33,
  });
  const refused = await agent.api("GET", "/reports/queries", { query: "filters=total,sums" });
  assert.equal(refused.status, 400);
  assert.match(refused.json.message, /"sums", only total, query_status/);
  const fresh = await kb.agent({ files: library });
  assert.deepEqual(await report(fresh, "conversations"), { total: 0, average_queries_per_conversation: 0 });
});

test("analysis: the week by day and the day by hour", async (t) => {
  const kb = await start(t);
  const { agent } = await asked(kb);
  const week = await report(agent, "analysis");
  assert.deepEqual(Object.keys(week), ["queries", "conversations", "queries_per_conversation"]);
  for (const [part, sum] of [
    ["queries", 4],
    ["conversations", 3],
  ]) {
    assert.equal(week[part].length, 7);
    assert.equal(new Set(week[part].map((point) => point.created_at_interval)).size, 7);
    assert.equal(
      week[part].reduce((n, point) => n + point.queries_number, 0),
      sum,
    );
    for (const point of week[part]) assert.match(point.created_at_interval, /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)$/);
  }
  assert.deepEqual(week, await report(agent, "analysis", "interval=weekly"));
  const day = await report(agent, "analysis", "interval=daily&filters=queries");
  assert.deepEqual(Object.keys(day), ["queries"]);
  assert.equal(day.queries.length, 24);
  assert.equal(
    day.queries.reduce((n, point) => n + point.queries_number, 0),
    4,
  );
  for (const point of day.queries) assert.match(point.created_at_interval, /^([01]\d|2[0-3]):00$/);
  await agent.expect(400, "GET", "/reports/analysis", { query: "interval=yearly" });
});

test("analysis: the days between two dates, some at a time where they are many", async (t) => {
  const kb = await start(t);
  const { agent } = await asked(kb);
  const day = 86_400_000,
    name = (time) => new Date(time).toISOString().slice(0, 10);
  const today = Date.parse(name(Date.now()));
  const series = async (query) => (await report(agent, "analysis", `filters=queries&${query}`)).queries;
  const sum = (points) => points.reduce((n, point) => n + point.queries_number, 0);
  const week = await series(`start_date=${name(today - 6 * day)}&end_date=${name(today + day)}`);
  assert.deepEqual(
    week.map((point) => point.created_at_interval),
    Array.from({ length: 8 }, (_, i) => name(today + (i - 6) * day)),
  );
  assert.equal(sum(week), 4);
  const month = await series(`end_date=${name(today + day)}`);
  assert.deepEqual([month.length, sum(month)], [30, 4]);
  const decade = await series(`start_date=${name(today - 3650 * day)}`);
  assert.ok(decade.length > 80 && decade.length <= 92, `${decade.length}`);
  assert.equal(sum(decade), 4);
  const early = await series("start_date=2001-02-03&end_date=2001-02-03");
  assert.deepEqual(early, [{ queries_number: 0, created_at_interval: "2001-02-03" }]);
  await series(`start_date=${name(today + 400 * day)}`);
  await agent.expect(400, "GET", "/reports/analysis", { query: "start_date=2026-02-03&end_date=2026-02-02" });
});

test("the averages are over the conversations in which something was asked, in both reports", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  for (let i = 0; i < 2; i++) {
    const { session } = await agent.ask("Hello");
    await agent.ask("Thanks!", { session });
    await agent.expect(201, "POST", "/conversations");
  }
  assert.deepEqual(await report(agent, "conversations"), { total: 4, average_queries_per_conversation: 2 });
  for (const interval of ["weekly", "daily"]) {
    const { queries, queries_per_conversation: averages } = await report(agent, "analysis", { interval });
    const busy = queries.flatMap((point, i) =>
      point.queries_number ? [[point.queries_number, averages[i].queries_number]] : [],
    );
    if (busy.length === 1) assert.deepEqual(busy, [[4, 2]], interval); // else the clock has just turned to the next
    assert.equal(averages.filter((point) => point.queries_number).length, busy.length);
  }
});

test("intelligence tells of each question what is known of it", async (t) => {
  const kb = await start(t);
  const { agent, first } = await asked(kb);
  const all = await report(agent, "intelligence");
  assert.equal(all.total, 4);
  assert.equal(all.per_page, 100);
  assert.equal(all.total_queries, 4);
  const [chat, none, thanks, liked] = all.data;
  assert.deepEqual(
    { ...liked, created_at: 0 },
    {
      prompt_id: first.id,
      conversation_id: first.conversation_id,
      project_id: agent.id,
      user_query: questions[0][0],
      ai_response: first.llm_response,
      created_at: 0,
      content_source: "own_content",
      user_emotion: "satisfied",
      user_intent: "information",
      language: "en",
      feedback: "liked",
      user_location: null,
      chatbot_deployment: "api",
      browser: "Chrome",
    },
  );
  assert.equal(thanks.user_intent, "small_talk");
  assert.equal(thanks.content_source, null);
  assert.equal(none.content_source, null);
  assert.equal(none.feedback, null);
  assert.equal(chat.chatbot_deployment, "chat-completions");
  assert.equal(chat.browser, null);

  const page = await report(agent, "intelligence", "page=2&limit=3&order=asc");
  assert.deepEqual(page.data, [chat]);
  assert.equal(page.last_page, 2);
  const today = new Date().toISOString().slice(0, 10);
  for (const [query, n] of [
    [`start_date=${today}`, 4],
    [`end_date=${today}`, 4],
    [`start_date=${today}&end_date=${today}`, 4],
    ["end_date=2020-01-01", 0],
    ["start_date=2999-01-01", 0],
    [`end_date=${encodeURIComponent(liked.created_at)}`, 1],
    [`start_date=${encodeURIComponent(none.created_at)}`, 2],
  ]) {
    const some = await report(agent, "intelligence", query);
    assert.equal(some.total, n, query);
    assert.equal(some.total_queries, 4);
  }
  const unanswered = await report(agent, "intelligence", "unanswered=true");
  assert.deepEqual(unanswered.data, [none]);
  assert.deepEqual([unanswered.total, unanswered.total_queries], [1, 4]);
  for (const query of [
    "unanswered=perhaps",
    "start_date=yesterday",
    "end_date=2024-13-01",
    "start_date=2024-02-02&end_date=2024-02-01",
  ])
    await agent.expect(400, "GET", "/reports/intelligence", { query });
});

test("leads are none, in the shape of a list", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const leads = await report(agent, "leads", "start_date=2024-01-01&limit=5&session_id=x");
  assert.deepEqual([leads.data, leads.total, leads.per_page, leads.from], [[], 0, 5, null]);
  await agent.expect(400, "GET", "/reports/leads", { query: "end_date=x" });
});

test("a deleted conversation is in no report", async (t) => {
  const kb = await start(t);
  const { agent, first } = await asked(kb);
  await agent.expect(200, "DELETE", `/conversations/${first.session}`);
  assert.equal((await report(agent, "queries")).total, 2);
  assert.equal((await report(agent, "intelligence")).total, 2);
  assert.equal((await report(agent, "conversations")).total, 2);
});
