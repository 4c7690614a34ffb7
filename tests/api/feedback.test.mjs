// Reactions to answers, and conversations to take away.
import { assert, start, test } from "./lib/harness.mjs";

/** A conversation of two questions. */
async function talked(t) {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "a.txt": "Goods may be returned within 30 days of delivery." } });
  const send = (prompt) => agent.expect(200, "POST", "/conversations/talk/messages", { json: { prompt } });
  return {
    kb,
    agent,
    messages: [await send("Within how many days may goods be returned?"), await send('=1+1, "quoted"')],
  };
}

test("a reaction is stored, changed and taken back", async (t) => {
  const {
    agent,
    messages: [message],
  } = await talked(t);
  const where = `/conversations/talk/messages/${message.id}`;
  assert.equal(message.response_feedback, null);
  for (const reaction of ["liked", "disliked", "neutral"]) {
    const reacted = await agent.expect(200, "PUT", `${where}/feedback`, { json: { reaction } });
    assert.equal(reacted.response_feedback.reaction, reaction);
    assert.equal((await agent.expect(200, "GET", where)).response_feedback.reaction, reaction);
  }
  const cleared = await agent.expect(200, "PUT", `${where}/feedback`, { json: { reaction: null } });
  assert.equal(cleared.response_feedback, null);
});

test("a reaction that is none, or to a message that is none, is refused", async (t) => {
  const {
    agent,
    messages: [message],
  } = await talked(t);
  const react = (id, json) => agent.api("PUT", `/conversations/talk/messages/${id}/feedback`, { json });
  for (const json of [{ reaction: "loved" }, { reaction: 1 }, {}, { reaction: ["liked"] }]) {
    const refused = await react(message.id, json);
    assert.deepEqual(
      [refused.status, refused.data.message],
      [400, "reaction must be liked, disliked, neutral or null"],
    );
  }
  const missing = await react(999999, { reaction: "liked" });
  assert.deepEqual([missing.status, missing.data.message], [404, "Conversation message with id 999999 not found"]);
  assert.equal((await react("x", { reaction: "liked" })).status, 400);
});

test("a conversation is exported whole as JSON, CSV and text", async (t) => {
  const { agent, messages } = await talked(t);
  const json = await agent.expect(200, "GET", "/conversations/talk/export");
  assert.equal(json.conversation.session_id, "talk");
  assert.deepEqual(
    json.messages.map((message) => message.id),
    messages.map((message) => message.id),
  );

  const csv = await agent.api("GET", "/conversations/talk/export", { query: { format: "csv" } });
  assert.equal(csv.headers["content-type"], "text/csv; charset=utf-8");
  assert.match(csv.headers["content-disposition"], /^attachment; filename="conversation-\d+\.csv"$/);
  const lines = csv.text.split("\r\n");
  assert.equal(lines[0], "id,created_at,user_query,llm_response,citations");
  assert.ok(
    lines[1].endsWith(
      `,"${messages[0].user_query}","${messages[0].llm_response}","${messages[0].citations.join(" ")}"`,
    ),
    lines[1],
  );
  assert.ok(lines[2].includes(`,"'=1+1, ""quoted""",`), "a formula is held back, quotes are doubled");

  const text = await agent.api("GET", "/conversations/talk/export", { query: { format: "txt" } });
  assert.ok(text.text.includes(`Q: ${messages[0].user_query}\nA: ${messages[0].llm_response}\n`));
});

test("what a spreadsheet would run is held back in the CSV", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (const prompt of ['=HYPERLINK("http://x.example")', "  =1+1", "＝1+1", "-1", "@SUM(1)", "|calc", "plain = text"])
    await agent.ask(prompt, { session: "sums" });
  const { text } = await agent.api("GET", "/conversations/sums/export", { query: { format: "csv" } });
  assert.deepEqual(
    text
      .trim()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(",")[2].replaceAll('"', "")),
    ["'=HYPERLINK(http://x.example)", "'  =1+1", "'＝1+1", "'-1", "'@SUM(1)", "'|calc", "plain = text"],
  );
});

test("the page to print escapes what was said and may do nothing", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const prompts = ['<script>alert(1)</script> & "quotes"', "first line\n\nسطر ثانٍ"];
  for (const prompt of prompts) await agent.ask(prompt, { session: "page" });
  await agent.expect(200, "PUT", "/conversations/page", { json: { name: "A <b>name</b>" } });
  const { text, headers } = await agent.api("GET", "/conversations/page/export", { query: { format: "HTML" } });
  assert.equal(headers["content-type"], "text/html; charset=utf-8");
  assert.match(headers["content-disposition"], /^attachment; filename="conversation-\d+\.html"$/);
  assert.deepEqual(
    [headers["x-content-type-options"], headers["content-security-policy"]],
    ["nosniff", "default-src 'none'; style-src 'unsafe-inline'; sandbox"],
  );
  assert.ok(text.startsWith("<!doctype html>") && text.endsWith("</body></html>\n"));
  assert.ok(text.includes('<h1 dir="auto">A &lt;b&gt;name&lt;/b&gt;</h1>'));
  assert.ok(
    text.includes(
      '<div class="asked"><p dir="auto">&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot;</p></div>',
    ),
  );
  assert.ok(text.includes('<p dir="auto">first line</p><p dir="auto">سطر ثانٍ</p>') && !text.includes("<script"));
  assert.equal(text.match(/<article>/g).length, 2);
});

test("an unknown format and an unknown conversation are refused by name", async (t) => {
  const { agent } = await talked(t);
  const format = await agent.api("GET", "/conversations/talk/export", { query: { format: "docx" } });
  assert.deepEqual([format.status, format.data.message], [400, "format must be json, csv, txt or html"]);
  const pdf = await agent.api("GET", "/conversations/talk/export", { query: { format: "pdf" } });
  assert.deepEqual(
    [pdf.status, pdf.data.message],
    [400, "format must be json, csv, txt or html; print the html to get a PDF"],
  );
  const missing = await agent.api("GET", "/conversations/nowhere/export");
  assert.deepEqual([missing.status, missing.data.message], [404, "Conversation with session id nowhere not found"]);
});

test("a long conversation is exported to its last message", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const ids = [];
  for (let i = 0; i < 205; i++)
    ids.push(
      (await agent.expect(200, "POST", "/conversations/long/messages", { json: { prompt: `Question ${i}` } })).id,
    );
  const json = await agent.expect(200, "GET", "/conversations/long/export");
  assert.deepEqual(
    json.messages.map((message) => message.id),
    ids,
  );
});
