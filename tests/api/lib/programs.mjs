// Programs that ask over MCP in somebody's name: the address of their description, and what they do for tokens.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import https from "node:https";
import { certificate } from "./certificate.mjs";
import { PUBLIC } from "./tokens.mjs";

export const BACK = "http://127.0.0.1:9/callback";

/** A host of programs' descriptions, by path; a function answers by itself. */
export async function programs(t) {
  const tls = await certificate(t);
  const documents = new Map();
  const asked = [];
  const server = https.createServer({ key: tls.key, cert: tls.cert }, (req, res) => {
    asked.push(req.url);
    const document = documents.get(req.url);
    if (typeof document === "function") return document(req, res);
    if (document === undefined) return res.writeHead(404).end();
    res.writeHead(200, { "content-type": "application/json" });
    res.end(typeof document === "string" ? document : JSON.stringify(document));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://localhost:${server.address().port}`;
  const host = {
    url,
    asked,
    documents,
    /** A program's description there: its client_id. */
    program(path = "/program.json", more = {}) {
      documents.set(path, { client_id: url + path, client_name: "Stories", redirect_uris: [BACK], ...more });
      return url + path;
    },
    /** How a service that may ask it is started. */
    options: {
      args: ["--public-url", PUBLIC],
      env: { SSL_CERT_FILE: tls.ca, DOCENT_FETCH_ALLOW: "127.0.0.0/8,::1/128" },
    },
  };
  return host;
}

export const verifier = () => randomBytes(32).toString("base64url");
export const challengeOf = (text) => createHash("sha256").update(text).digest("base64url");
export const addressOf = (agent) => `${PUBLIC}/mcp/projects/${agent.id}`;

/** What a program sends a browser with. */
export const asking = (client_id, agent, secret, more = {}) => ({
  response_type: "code",
  client_id,
  redirect_uri: BACK,
  code_challenge: challengeOf(secret),
  code_challenge_method: "S256",
  resource: addressOf(agent),
  state: "a state & more",
  ...more,
});

/** Its reader answers; gives where the browser goes on to. */
export async function answer(kb, who, fields, allow = true) {
  const data = await kb.expect(201, "POST", "/programs", { json: { ...fields, allow }, ...who });
  return new URL(data.continue);
}

const form = (kb, path, fields) =>
  kb.api("POST", path, {
    plain: true,
    key: null,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });
export const token = (kb, fields) => form(kb, "/oauth/token", fields);
export const revoke = (kb, fields) => form(kb, "/oauth/revoke", fields);

export const exchanging = (client_id, agent, code, code_verifier, more = {}) => ({
  grant_type: "authorization_code",
  client_id,
  code,
  code_verifier,
  redirect_uri: BACK,
  resource: addressOf(agent),
  ...more,
});
export const renewing = (client_id, refresh_token, more = {}) => ({
  grant_type: "refresh_token",
  client_id,
  refresh_token,
  ...more,
});

/** Somebody lets a program in, and it has its tokens. */
export async function letIn(kb, who, client_id, agent, other = kb) {
  const secret = verifier();
  const to = await answer(kb, who, asking(client_id, agent, secret));
  const code = to.searchParams.get("code");
  const reply = await token(other, exchanging(client_id, agent, code, secret));
  assert.equal(reply.status, 200, reply.text);
  return { ...reply.json, code, secret };
}
