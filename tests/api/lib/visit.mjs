// Visitors of a public agent, as its page asks for them.
import { createHmac } from "node:crypto";

export const PAGE = { "x-docent-visitor": "1" };

/** A browser with its cookie: what it asks for, and who it is. */
export async function visit(kb, slug, body = {}, headers = {}) {
  const path = `/public/v1/agents/${slug}`;
  const begun = await kb.api("POST", `${path}/visit`, {
    plain: true,
    key: null,
    json: body,
    headers: { ...PAGE, ...headers },
  });
  const set = begun.headers["set-cookie"]?.[0];
  const cookie = set?.split(";")[0];
  const token = begun.data?.token;
  const mine = token ? { "x-docent-visitor": token } : { ...PAGE, cookie };
  const call = (method, rest, options = {}) =>
    kb.api(method, path + rest, { plain: true, key: null, ...options, headers: { ...mine, ...options.headers } });
  const ask = async (prompt, fields = {}) => {
    const reply = await call("POST", "/messages", { json: { prompt, ...fields } });
    const events = [...reply.text.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1]));
    return { status: reply.status, reply, events, last: events.at(-1) };
  };
  return { begun, set, cookie, token, call, ask };
}

export const base64url = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
/** A token of the site that says who its visitor is. */
export function sign(claims, secret, header = { alg: "HS256", typ: "JWT" }) {
  const text = `${base64url(header)}.${base64url(claims)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}
