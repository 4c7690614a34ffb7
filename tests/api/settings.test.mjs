// Settings: every field of the description, set in every form and read back; partial updates;
// pictures; many clients at once.
import { deflateSync } from "node:zlib";
import { assert, start, test } from "./lib/harness.mjs";

/** Where the answer's name is another than the request's. */
const ANSWER = {
  chat_bot_avatar: "chatbot_avatar",
  chat_bot_bg: "chatbot_background",
  chat_bot_bg_type: "chatbot_background_type",
  chat_bot_bg_color: "chatbot_background_color",
  chat_bot_color_scheme: "chatbot_color_scheme",
};
const answerName = (name) => ANSWER[name] ?? name;

/** Fields that need another field, and the plan's or operator's word. */
const REQUIRES = {
  is_pdf_viewer_autoopen: "is_pdf_viewer",
  is_anonymize_pdfs: "is_pdf_viewer",
  is_pdf_page_visibility_limited: "is_pdf_viewer",
  is_pdf_limited_label_linked: "is_pdf_page_visibility_limited",
  max_actions_per_query: "use_planner_mode",
};
const CATALOGUE = new Set(["chatbot_model"]); // no model is configured here
const IMAGES = {
  chat_bot_avatar: "avatar",
  chat_bot_bg: "background",
  user_avatar: "user avatar",
  spotlight_avatar: "spotlight avatar",
};

/** A PNG of that many pixels a side, of one colour. */
function png(side = 4, shade = 7) {
  const table = [...Array(256)].map((_, n) => {
    for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n >>> 0;
  });
  const crc = (bytes) => (bytes.reduce((r, b) => table[(r ^ b) & 255] ^ (r >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head[8] = 8;
  const rows = Buffer.alloc(side * (side + 1), shade);
  for (let y = 0; y < side; y++) rows[y * (side + 1)] = 0;
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const kinds = (schema) => [].concat(schema.type);
const nullable = (schema) => kinds(schema).includes("null");
const kind = (schema) => kinds(schema)[0];
const isColor = (name) => /color$/.test(name) || name === "chat_bot_bg_color";

/** A value that is not the default, at the limit where there is one. */
function valueOf(name, schema) {
  if (kind(schema) === "boolean") return !schema.default;
  if (kind(schema) === "integer") return schema.maximum === schema.default ? schema.minimum : schema.maximum;
  if (schema.enum) return schema.enum.filter((v) => v !== null && v !== schema.default).at(-1);
  if (kind(schema) === "array")
    return name === "allowed_domains_for_embedding"
      ? ["example.org", "*.example.com"]
      : ["é".repeat(schema.items.maxLength), "Second?"];
  if (isColor(name)) return "#1A2B3C4D";
  return "é".repeat(schema.maxLength);
}

/** Values just outside, each with its sentence. */
function refusalsOf(name, schema) {
  if (kind(schema) === "boolean")
    return [
      ["maybe", `${name} must be true or false`],
      [2, `${name} must be true or false`],
      [{ a: 1 }, `${name} must be true or false`],
    ];
  if (kind(schema) === "integer") {
    const sentence = `${name} must be a whole number from ${schema.minimum} to ${schema.maximum}`;
    return [
      [schema.maximum + 1, sentence],
      [schema.minimum - 1, sentence],
      ["x", sentence],
      [1.5, sentence],
      [[1], sentence],
    ];
  }
  if (name === "chatbot_msg_lang")
    return [
      ["xx", 'chatbot_msg_lang "xx" is not a supported language code'],
      ["", "Language Proficiency is required."],
      [null, "Language Proficiency is required."],
    ];
  if (schema.enum) {
    const sentence = `${name} must be one of ${schema.enum.filter((v) => v !== null).join(", ")}`;
    return [
      ["no such value", sentence],
      ["x".repeat(256), sentence],
    ];
  }
  if (name === "allowed_domains_for_embedding")
    return [
      [["no host"], '"no host" is not a host name'],
      [["a".repeat(254)], `${name} has 254 characters, the limit is 253`],
    ];
  if (kind(schema) === "array") {
    const { maxLength } = schema.items;
    return [
      [["x".repeat(maxLength + 1)], `${name} has ${maxLength + 1} characters, the limit is ${maxLength}`],
      [
        Array.from({ length: schema.maxItems + 1 }, (_, i) => `q${i}`),
        `${name} has more than ${schema.maxItems} items`,
      ],
      [[1], `${name} must hold texts only`],
    ];
  }
  if (isColor(name))
    return ["red", "#1A2B3C4D5", "#12", "#GGGGGG"].map((v) => [
      v,
      `${name} must be a hexadecimal colour such as #1A2B3C, at most 9 characters`,
    ]);
  return [
    [
      "é".repeat(schema.maxLength + 1),
      `${name} has ${schema.maxLength + 1} characters, the limit is ${schema.maxLength}`,
    ],
    [["x"], `${name} must be a text`],
  ];
}

/** [name, schema] of all fields that can be sent. */
async function fieldsOf(kb) {
  const { openapi } = await kb.description();
  return Object.entries(openapi.components.schemas.SettingsFields.properties);
}
const read = (agent) => agent.expect(200, "GET", "/settings");
const post = (agent, options) => agent.api("POST", "/settings", options);
const parts = (fields) =>
  Object.entries(fields).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((item) => ({ name: `${name}[]`, value: item })) : [{ name, value: String(value) }],
  );
const file = (name, value, filename = "picture.png") => ({ name, filename, type: "image/png", value });

/** What must be on before the field can be changed, outermost first. */
const chain = (name) => (REQUIRES[name] ? [...chain(REQUIRES[name]), REQUIRES[name]] : []);

test("the description lists every setting of the interface", async (t) => {
  const kb = await start(t);
  const names = (await fieldsOf(kb)).map(([name]) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of [
    "chat_bot_avatar",
    "persona_instructions",
    "enable_citations",
    "allowed_domains_for_embedding",
    "is_pdf_viewer",
    "ending_message",
  ])
    assert.ok(names.includes(name), name);
  assert.equal(names.length, 81);
});

test("a new agent has the default of every field, under its answer name", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const settings = await read(agent);
  for (const [name, schema] of await fieldsOf(kb)) {
    const want =
      name in IMAGES
        ? ({ user_avatar: null, spotlight_avatar: `${kb.url}/assets/spotlight_avatar.png` }[name] ??
          (name === "user_avatar" ? null : ""))
        : schema.default;
    assert.deepEqual(settings[answerName(name)], want, name);
  }
  assert.deepEqual([settings.private_deployment, settings.license_slug, settings.selling_url], [0, null, null]);
  assert.equal(settings.default_prompt, "Ask Me Anything ...");
  assert.equal(Object.keys(settings).length, 81 + 3);
});

for (const [form, send] of [
  ["JSON", (fields) => ({ json: fields })],
  ["multipart", (fields) => ({ form: parts(fields) })],
  ["urlencoded", (fields) => ({ urlencoded: parts(fields).map(({ name, value }) => [name, value]) })],
])
  test(`every field is set by ${form} and read back, and nothing else changes`, async (t) => {
    const kb = await start(t);
    const agent = await kb.agent({ is_master: "true" });
    for (const [name, schema] of await fieldsOf(kb)) {
      if (name in IMAGES || CATALOGUE.has(name)) continue;
      for (const other of chain(name))
        assert.equal((await post(agent, { json: { [other]: true } })).status, 200, other);
      const before = await read(agent),
        value = valueOf(name, schema);
      const reply = await post(agent, send({ [name]: value }));
      assert.deepEqual([reply.status, reply.data], [200, { updated: true }], name);
      const after = await read(agent);
      assert.deepEqual(after[answerName(name)], value, name);
      if (name === "chatbot_msg_lang") {
        // the texts nobody set follow it
        await post(agent, { json: { chatbot_msg_lang: "en" } });
        continue;
      }
      assert.deepEqual(
        { ...after, [answerName(name)]: 0 },
        { ...before, [answerName(name)]: 0 },
        `${name} changed something else`,
      );
    }
  });

test("a nullable field takes null, another refuses it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ is_master: "true" });
  for (const [name, schema] of await fieldsOf(kb)) {
    const reply = await post(agent, { json: { [name]: null } });
    assert.equal(reply.status, nullable(schema) ? 200 : 400, name);
    if (nullable(schema)) assert.equal((await read(agent))[answerName(name)], name in ANSWER ? "" : null, name);
  }
});

test("a value outside its limits is refused with its sentence, and nothing is stored", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ is_master: "true" });
  const before = await read(agent);
  for (const [name, schema] of await fieldsOf(kb)) {
    if (name in IMAGES || CATALOGUE.has(name)) continue;
    for (const [value, sentence] of refusalsOf(name, schema)) {
      const reply = await post(agent, { json: { [name]: value } });
      assert.deepEqual(
        [reply.status, reply.json.message],
        [400, sentence],
        `${name} = ${JSON.stringify(value).slice(0, 60)}`,
      );
    }
  }
  assert.deepEqual(await read(agent), before);
});

test("flags, numbers and lists are taken in the spellings that clients send", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const cases = [
    [{ form: parts({ enable_copy_button: "FALSE" }) }, "enable_copy_button", false],
    [{ form: parts({ enable_copy_button: "1" }) }, "enable_copy_button", true],
    [{ json: { enable_copy_button: 0 } }, "enable_copy_button", false],
    [{ json: { enable_citations: false } }, "enable_citations", 0],
    [{ json: { enable_citations: "true" } }, "enable_citations", 3],
    [{ json: { enable_citations: "2" } }, "enable_citations", 2],
    [{ form: parts({ conversation_time_window: "true" }) }, "conversation_time_window", 1],
    [{ form: parts({ conversation_time_window: "false" }) }, "conversation_time_window", 0],
    [
      {
        form: [
          { name: "example_questions[]", value: "One?" },
          { name: "example_questions[]", value: "Two?" },
        ],
      },
      "example_questions",
      ["One?", "Two?"],
    ],
    [
      {
        form: [
          { name: "example_questions[0]", value: "A?" },
          { name: "example_questions[1]", value: "B?" },
        ],
      },
      "example_questions",
      ["A?", "B?"],
    ],
    [{ form: [{ name: "example_questions", value: '["C?","D?"]' }] }, "example_questions", ["C?", "D?"]],
    [{ json: { example_questions: ["E?"] } }, "example_questions", ["E?"]],
    [{ json: { "example_questions[]": ["F?"] } }, "example_questions", ["F?"]],
    [{ json: { example_questions: [] } }, "example_questions", []],
    [
      { urlencoded: [["allowed_domains_for_embedding", "https://Example.org/, b.example"]] },
      "allowed_domains_for_embedding",
      ["example.org", "b.example"],
    ],
    [
      {
        form: [
          { head: 'Content-Disposition: form-data; name="default_prompt"\r\nContent-Type: text/plain', value: "Typed" },
        ],
      },
      "default_prompt",
      "Typed",
    ],
  ];
  for (const [options, name, want] of cases) {
    const reply = await post(agent, options);
    assert.equal(reply.status, 200, `${JSON.stringify(options)}: ${reply.text}`);
    assert.deepEqual((await read(agent))[name], want, JSON.stringify(options));
  }
});

test("what is partly right is applied in part: 207 names both", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const reply = await post(agent, {
    json: { default_prompt: "Ask", chatbot_color: "red", is_anonymize_pdfs: true, no_such_field: 1 },
  });
  assert.equal(reply.status, 207);
  assert.deepEqual(reply.json, {
    status: "success",
    data: {
      updated: true,
      updated_fields: ["default_prompt"],
      failed_fields: {
        chatbot_color: ["chatbot_color must be a hexadecimal colour such as #1A2B3C, at most 9 characters"],
        is_anonymize_pdfs: ["Requires is_pdf_viewer"],
      },
    },
  });
  const settings = await read(agent);
  assert.deepEqual(
    [settings.default_prompt, settings.chatbot_color, settings.is_anonymize_pdfs],
    ["Ask", "#000000", false],
  );
});

test("where nothing is applied the answer is 400 with the reason, of a plan or another field as of a malformed value", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const reply = await post(agent, { json: { is_anonymize_pdfs: true } });
  assert.deepEqual([reply.status, reply.json.message], [400, "is_anonymize_pdfs: Requires is_pdf_viewer"]);
  const model = await post(agent, { json: { chatbot_model: "no-such-model" } });
  assert.deepEqual([model.status, model.json.message], [400, "chatbot_model is not one of the available models"]);
  assert.equal((await post(agent, { json: { chatbot_color: "red" } })).status, 400);
  assert.equal((await post(agent, { json: { chatbot_color: "red", default_prompt: "x".repeat(256) } })).status, 400);
  for (const json of [{}, { no_such_field: 1 }, { is_chat_active: true }])
    assert.deepEqual((await post(agent, { json })).data, { updated: true });
  for (const body of ["[1]", "{", "null"])
    assert.equal((await post(agent, { body, headers: { "content-type": "application/json" } })).status, 400, body);
});

test("the record as it is read may be sent back, and changes nothing", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const fields = await fieldsOf(kb);
  const request = (record) => Object.fromEntries(fields.map(([name]) => [name, record[answerName(name)]])); // by the names of requests
  const back = async (why) => {
    const record = await read(agent);
    for (const json of [record, request(record), { ...record, ...request(record) }]) {
      const reply = await post(agent, { json });
      assert.deepEqual([reply.status, reply.data], [200, { updated: true }], `${why}: ${reply.text}`);
      assert.deepEqual(await read(agent), record, why);
    }
    const reply = await post(agent, {
      form: parts(Object.fromEntries(Object.entries(request(record)).filter(([, value]) => value !== null))),
    });
    assert.equal(reply.status, 200, `${why}, as a form: ${reply.text}`);
    assert.deepEqual(await read(agent), record, why);
  };
  await back("a new agent");
  for (const name of Object.keys(IMAGES)) assert.equal((await post(agent, { form: [file(name, png())] })).status, 200);
  const changed = fields.filter(([name]) => !(name in IMAGES) && !CATALOGUE.has(name));
  assert.equal((await post(agent, { json: { is_pdf_viewer: true } })).status, 200);
  assert.equal(
    (await post(agent, { json: Object.fromEntries(changed.map(([name, schema]) => [name, valueOf(name, schema)])) }))
      .status,
    200,
  );
  await back("every field another");
  assert.equal((await post(agent, { json: { is_pdf_viewer: false, use_planner_mode: false } })).status, 200);
  await back("what others required is off");
  assert.equal(
    (
      await post(agent, {
        json: Object.fromEntries(fields.filter(([, schema]) => nullable(schema)).map(([name]) => [name, null])),
      })
    ).status,
    200,
  );
  await back("null wherever it may be");
  assert.equal((await post(agent, { json: { spotlight_avatar: "spotlight_avatar.png" } })).status, 200);
  assert.equal(
    (await read(agent)).spotlight_avatar,
    `${kb.url}/assets/spotlight_avatar.png`,
    "the built-in picture has a name",
  );
});

test("a flag and what requires it go together in one request, in any order", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  assert.equal(
    (
      await post(agent, {
        form: parts({ is_pdf_limited_label_linked: true, is_pdf_page_visibility_limited: true, is_pdf_viewer: true }),
      })
    ).status,
    200,
  );
  assert.equal((await read(agent)).is_pdf_limited_label_linked, true);
});

test("fields of master agents are ignored by others; planner mode of the creation is the setting", async (t) => {
  const kb = await start(t);
  const regular = await kb.agent(),
    master = await kb.agent({ is_master: "1", use_planner_mode: "1" });
  for (const agent of [regular, master])
    assert.deepEqual((await post(agent, { json: { master_project_smart_routing_mode: "off" } })).data, {
      updated: true,
    });
  assert.equal((await read(regular)).master_project_smart_routing_mode, "start-only");
  assert.equal((await read(master)).master_project_smart_routing_mode, "off");
  assert.deepEqual([(await read(regular)).use_planner_mode, (await read(master)).use_planner_mode], [false, true]);
});

test("settings survive a restart, and are another account's secret", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  await agent.expect(200, "POST", "/settings", { json: { default_prompt: "Kept <b>&\u2028" } });
  await kb.restart();
  assert.equal((await read(agent)).default_prompt, "Kept <b>&\u2028");
  const key = await kb.newKey({ account: "other" });
  for (const [method, options] of [
    ["GET", {}],
    ["POST", { json: { default_prompt: "Stolen" } }],
  ]) {
    const reply = await agent.api(method, "/settings", { ...options, key });
    assert.deepEqual([reply.status, reply.json.message], [404, `Agent with id ${agent.id} not found`]);
  }
  assert.equal((await kb.api("GET", "/projects/abc/settings")).status, 400);
});

// ---- pictures ----

/** Loads an address as an <img> would: no key. */
async function load(kb, address) {
  assert.ok(address.startsWith(`${kb.url}/assets/`), address);
  return kb.api("GET", address.slice(kb.url.length), { key: null, plain: true });
}

test("a picture is taken by its content and served to everybody, safely", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (const [name, i] of Object.keys(IMAGES).map((name, i) => [name, i])) {
    const bytes = png(4 + i, i);
    const reply = await post(agent, { form: [file(name, bytes, "../../etc/passwd.html")] });
    assert.equal(reply.status, 200, reply.text);
    const address = (await read(agent))[answerName(name)];
    assert.match(address, new RegExp(`^${kb.url}/assets/agents/${agent.id}/[0-9a-f]{64}\\.png$`));
    const picture = await load(kb, address);
    assert.equal(picture.status, 200);
    assert.deepEqual(picture.bytes, bytes);
    assert.deepEqual(
      [
        picture.headers["content-type"],
        picture.headers["x-content-type-options"],
        picture.headers["content-security-policy"],
      ],
      ["image/png", "nosniff", "default-src 'none'; sandbox"],
    );
    assert.match(picture.headers["cache-control"], /public, max-age=31536000, immutable/);
    assert.equal(picture.headers["access-control-allow-origin"], "*");
  }
});

test("what is no picture is refused by name, whatever it is called", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (const [name, word] of Object.entries(IMAGES))
    for (const value of [
      "<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>",
      "",
      "\x89PNG\r\n\x1a\n",
      png().subarray(0, 30),
    ]) {
      const reply = await post(agent, { form: [file(name, value)] });
      assert.deepEqual([reply.status, reply.json.message], [400, `Please upload a valid image file for ${word}`]);
    }
  assert.equal((await post(agent, { json: { chat_bot_avatar: "https://example.org/a.png" } })).status, 400);
  const big = await post(agent, {
    form: [
      file("chat_bot_avatar", Buffer.concat([png(), Buffer.alloc(6 << 20)])),
      { name: "default_prompt", value: "Ask" },
    ],
  });
  assert.equal(big.status, 207);
  assert.match(big.data.failed_fields.chat_bot_avatar[1], /^The image has \d{7} bytes, the limit is 5242880$/);
  assert.equal((await read(agent)).chatbot_avatar, "");
});

test("each picture is taken away by null and by an empty part", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (const name of Object.keys(IMAGES))
    for (const options of [
      { json: { [name]: null } },
      { form: [{ name, value: "" }] },
      { json: { [name]: "" } },
      { urlencoded: [[name, ""]] },
    ]) {
      await post(agent, { form: [file(name, png())] });
      const address = (await read(agent))[answerName(name)];
      assert.equal((await post(agent, options)).status, 200, name);
      assert.equal((await read(agent))[answerName(name)], name in ANSWER ? "" : null, name);
      assert.equal((await load(kb, address)).status, 404, "and nobody loads it any more");
    }
});

test("a picture may come without a file name; files of other names are ignored", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const bytes = png();
  assert.equal(
    (
      await post(agent, {
        form: [{ name: "chat_bot_avatar", value: bytes }, file("files[]", "x"), file("other", png())],
      })
    ).status,
    200,
  );
  assert.deepEqual((await load(kb, (await read(agent)).chatbot_avatar)).bytes, bytes);
  assert.equal((await agent.pages()).length, 0);
});

test("the built-in picture is there; a picture is served while the settings name it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const builtin = await load(kb, (await read(agent)).spotlight_avatar);
  assert.deepEqual([builtin.status, builtin.headers["content-type"]], [200, "image/png"]);
  assert.equal(builtin.bytes.subarray(1, 4).toString(), "PNG");
  await post(agent, { form: [file("user_avatar", png())] });
  const address = (await read(agent)).user_avatar;
  const gone = [
    `/assets/agents/${agent.id + 1}/${address.split("/").pop()}`,
    `/assets/agents/x/${address.split("/").pop()}`,
    `/assets/agents/${agent.id}/${"0".repeat(64)}.png`,
    `/assets/agents/${agent.id}/..%2f..%2fdocent.db.png`,
    "/assets/passwd",
    "/assets/agents/1/spotlight_avatar.png",
  ];
  for (const path of gone) assert.equal((await kb.api("GET", path, { key: null, plain: true })).status, 404, path);
  await kb.restart();
  assert.equal((await load(kb, (await read(agent)).user_avatar)).status, 200);
  await post(agent, { json: { user_avatar: null } });
  assert.equal(
    (await kb.api("GET", address.slice(address.indexOf("/assets")), { key: null, plain: true })).status,
    404,
  );
  await post(agent, { form: [file("user_avatar", png())] });
  const again = (await read(agent)).user_avatar;
  await agent.expect(200, "DELETE");
  assert.equal((await load(kb, again)).status, 404);
});

// ---- many clients ----

test("32 clients changing one agent's settings and persona lose no acknowledged change", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const flags = (await fieldsOf(kb))
    .filter(([name, schema]) => kind(schema) === "boolean" && !REQUIRES[name] && !name.startsWith("master_"))
    .slice(0, 24);
  const clients = flags.map(async ([name, schema]) => {
    for (let round = 0; round < 5; round++)
      assert.equal(
        (await post(agent, { json: { [name]: round % 2 === 0 ? !schema.default : schema.default } })).status,
        200,
      );
  });
  const people = [..."abcdefgh"];
  for (const client of people)
    clients.push(
      (async () => {
        for (let round = 0; round < 4; round++)
          assert.equal((await post(agent, { json: { persona_instructions: `${client} ${round}` } })).status, 200);
      })(),
    );
  assert.equal(clients.length, 32);
  await Promise.all(clients);
  const settings = await read(agent);
  for (const [name, schema] of flags) assert.equal(settings[answerName(name)], !schema.default, name);
  const { data: versions } = await agent.expect(200, "GET", "/settings/personas", { query: { limit: 100 } });
  assert.deepEqual(
    versions.map((v) => v.version),
    Array.from({ length: 33 }, (_, i) => 33 - i),
  );
  assert.deepEqual(
    versions.filter((v) => v.is_active).map((v) => v.version),
    [33],
  );
  assert.equal(versions[0].instructions, settings.persona_instructions);
  for (const client of people)
    // each client's texts in the order it saved them
    assert.deepEqual(
      versions
        .map((v) => v.instructions)
        .filter((text) => text?.startsWith(client))
        .reverse(),
      Array.from({ length: 4 }, (_, i) => `${client} ${i}`),
    );
});
