// Access tokens of a provider of the tests, for an agent's address of MCP.
import { createPrivateKey, randomUUID, sign } from "node:crypto";

/** The name by which the service is known outside. */
export const PUBLIC = "http://docent.test";

const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
/** A token by the provider's own key, but for what is said otherwise. */
export function mint(
  idp,
  agent,
  { head = {}, by = createPrivateKey({ key: idp.keys[0], format: "jwk" }), ...claims } = {},
) {
  const now = Math.floor(Date.now() / 1000);
  const text = `${part({ alg: "RS256", kid: idp.keys[0].kid, typ: "at+jwt", ...head })}.${part({
    iss: idp.issuer,
    aud: `${PUBLIC}/mcp/projects/${agent.id}`,
    sub: "ann",
    client_id: "program",
    jti: randomUUID(),
    iat: now,
    exp: now + 300,
    ...claims,
  })}`;
  const signature = typeof by === "function" ? by(text) : sign("sha256", Buffer.from(text), by);
  return `${text}.${signature.toString("base64url")}`;
}

/** A message to the agent over MCP, with that token or key. */
export const ask = (kb, agent, token, { method = "tools/list", params = {}, headers = {} } = {}) =>
  kb.api("POST", `/mcp/projects/${agent.id}`, {
    plain: true,
    key: token,
    agent: false,
    headers,
    json: { jsonrpc: "2.0", id: 1, method, params },
  });
