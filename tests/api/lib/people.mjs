// People of an account, in browsers that are signed in.
import assert from "node:assert/strict";

const PAGE = { "x-docent-session": "1" };

/** A browser that signs in, by { key } or { link }; `asking` is what its requests carry. */
export async function signedIn(kb, json) {
  const reply = await kb.api("POST", "/session", { plain: true, key: null, json, headers: PAGE });
  assert.equal(reply.status, 201, reply.text);
  const cookie = reply.headers["set-cookie"][0].split(";")[0];
  return { data: reply.data, cookie, asking: { key: null, headers: { cookie, ...PAGE } } };
}

/** Somebody who was invited with these fields and has followed their link. */
export async function invited(kb, json) {
  const { person, link } = await kb.expect(201, "POST", "/people", { json });
  return { id: person.id, ...(await signedIn(kb, { link: link.split("#")[1] })) };
}
