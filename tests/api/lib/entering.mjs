// Docent beside a provider of sign-ins, and people who sign in there.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { start } from "./harness.mjs";
import { Browser, CLIENT, SECRET, provider } from "./provider.mjs";
import { folder } from "./util.mjs";

const PAGE = { "x-docent-session": "1" };
export const ROLES = `staff = default:ask
editors = default:content
it = default:owner
hr > hr
`;
export const PEOPLE = () => ({
  ann: { name: "Ann", email: "ann@example.org", email_verified: true, groups: ["staff", "hr"] },
  ben: { name: "Ben", email: "ben@example.org", email_verified: true, groups: ["it"] },
  cat: { name: "Cat", email: "ann@example.org", email_verified: true, groups: ["staff"] },
  dan: { name: "Dan", email: "dan@example.org", groups: ["strangers"] },
});

export async function scene(t, { secret: isSecret = true, host = "127.0.0.1", args = [], ...options } = {}) {
  const dir = await folder(t);
  const [roles, secret] = [path.join(dir, "roles"), path.join(dir, "secret")];
  await writeFile(roles, ROLES);
  await writeFile(secret, `${SECRET}\n`);
  let kb;
  const idp = await provider(t, { people: PEOPLE(), docents: () => [kb.url.replace("127.0.0.1", host)], ...options });
  kb = await start(t, {
    args: [
      ...["--oidc-issuer", idp.issuer, "--oidc-client-id", CLIENT, "--roles", roles],
      ...(isSecret ? ["--oidc-client-secret-file", secret] : []),
      ...args,
    ],
  });
  idp.begin();
  return { kb, idp, roles };
}

/** Up to the callback, which is not asked yet: { browser, callback }. */
export async function away(kb, idp, as, browser = new Browser(), back = kb.url) {
  idp.as = as;
  const callback = await browser.go(`${kb.url}/login/oidc`, (url) => url.startsWith(`${back}/login/oidc/callback`));
  assert.equal(typeof callback, "string", `${callback.status} ${callback.location}`);
  return { browser, callback };
}

/** What requests of pages in that browser carry. */
export function pages(kb, browser) {
  const cookie = Object.entries(browser.jars[kb.url])
    .map(([name, value]) => `${name}=${value}`)
    .join("; ");
  return { key: null, headers: { cookie, ...PAGE } };
}

export async function signIn(kb, idp, as, browser) {
  const there = await away(kb, idp, as, browser);
  const back = await there.browser.get(there.callback);
  assert.deepEqual([back.status, back.location], [303, `${kb.url}/agents`], kb.log.split("\n").slice(-4).join("\n"));
  const asking = pages(kb, there.browser);
  const { person } = await kb.expect(200, "GET", "/session", { plain: true, ...asking });
  return { ...there, back, asking, person };
}
