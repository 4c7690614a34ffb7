// A provider of sign-ins: npm oidc-provider on a port of this machine, whose people sign in without a form.
import http from "node:http";
import { generateKeyPairSync } from "node:crypto";
import { request } from "./http.mjs";

const { default: Provider } = await import("oidc-provider");

export const CLIENT = "docent";
export const SECRET = "a secret of:the service";

const jwk = (kid, type = "rsa") => {
  const { privateKey } =
    type === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...privateKey.export({ format: "jwk" }), kid, use: "sig", alg: type === "rsa" ? "RS256" : "ES256" };
};

/**
 * people: { sub: claims }. Its client is registered for the addresses of `docents`. `as` says who is at the browser;
 * spoil(req, res, path) may answer in its place. thin: ID tokens say no more than who it is. tells: whom it tells of
 * sign-outs. program: the address to which a public client of that name is sent back; it gets signed access tokens for
 * the resource that it names.
 */
export async function provider(
  t,
  { people, docents, tells = docents, auth = "client_secret_basic", thin = false, program },
) {
  const it = { people, as: null, keys: [jwk("first")], alg: "RS256", asked: {}, spoil: null };
  const server = http.createServer((req, res) => it.serve(req, res));
  await new Promise((go) => server.listen(0, "127.0.0.1", go));
  const port = server.address().port;
  it.issuer = `http://127.0.0.1:${port}`;

  it.begin = () => {
    const own = new Provider(it.issuer, {
      jwks: { keys: it.keys },
      clients: [
        {
          client_id: CLIENT,
          ...(auth !== "none" && { client_secret: SECRET }),
          token_endpoint_auth_method: auth,
          id_token_signed_response_alg: it.alg,
          redirect_uris: docents().map((url) => `${url}/login/oidc/callback`),
          post_logout_redirect_uris: docents().map((url) => `${url}/login`),
          backchannel_logout_uri: `${tells()[0]}/login/oidc/logout`,
          backchannel_logout_session_required: true,
        },
        ...(program ? [{ client_id: "program", token_endpoint_auth_method: "none", redirect_uris: [program] }] : []),
      ],
      conformIdTokenClaims: thin,
      clientAuthMethods: [...new Set([auth, ...(program ? ["none"] : [])])],
      enabledJWA: { idTokenSigningAlgValues: ["RS256", "PS256", "ES256", "HS256"] },
      claims: { openid: ["sub"], profile: ["name", "groups"], email: ["email", "email_verified"] },
      cookies: { keys: ["only for tests"] },
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
        resourceIndicators: {
          enabled: Boolean(program),
          getResourceServerInfo: (_, audience) => ({ scope: "", audience, accessTokenFormat: "jwt" }),
        },
        rpInitiatedLogout: {
          enabled: true,
          logoutSource: (ctx, form) => void (ctx.body = form),
        },
      },
      interactions: { url: () => "/at" },
      findAccount: (_, sub) => it.people[sub] && { accountId: sub, claims: () => ({ sub, ...it.people[sub] }) },
      fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined }),
    });
    own.on("server_error", (_, error) => console.error("provider:", error));
    own.on("backchannel.error", (_, error) => (it.fault = error));
    const handle = own.callback();
    it.serve = async (req, res) => {
      const path = req.url.split("?")[0];
      it.asked[path] = (it.asked[path] ?? 0) + 1;
      if (it.spoil?.(req, res, path)) return;
      if (path !== "/at") return handle(req, res);
      // Who is there signs in at once, and agrees.
      const { prompt, grantId, session, params } = await own.interactionDetails(req, res);
      if (it.refuses) return own.interactionFinished(req, res, { error: "access_denied", error_description: "no" });
      if (prompt.name === "login") return own.interactionFinished(req, res, { login: { accountId: it.as } });
      const grant = grantId
        ? await own.Grant.find(grantId)
        : new own.Grant({ accountId: session.accountId, clientId: params.client_id });
      grant.addOIDCScope("openid profile email");
      return own.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
    };
    it.own = own;
  };
  it.rotate = (kid, type) => {
    it.keys = [jwk(kid, type)];
    it.alg = it.keys[0].alg;
    it.begin();
  };
  it.close = () =>
    new Promise((go) => {
      server.close(go);
      server.closeAllConnections();
    });
  it.open = () => new Promise((go) => server.listen(port, "127.0.0.1", go));
  t.after(() => server.listening && it.close());
  return it;
}

/** A browser: cookies by origin, redirects followed one by one. */
export class Browser {
  jars = {};
  constructor(headers = {}) {
    this.headers = headers;
  }
  async get(url, { method = "GET", body, headers = {} } = {}) {
    const { origin } = new URL(url);
    const jar = (this.jars[origin] ??= {});
    const cookie = Object.entries(jar)
      .map(([name, value]) => `${name}=${value}`)
      .join("; ");
    const reply = await request(url, {
      method,
      body,
      headers: { accept: "text/html", ...this.headers, ...(cookie && { cookie }), ...headers },
      agent: new http.Agent(),
    });
    for (const line of reply.headers["set-cookie"] ?? []) {
      const [name, ...value] = line.split(";")[0].split("=");
      if (value.join("=") && !/expires=Thu, 01 Jan 1970/i.test(line)) jar[name] = value.join("=");
      else delete jar[name];
    }
    const { location } = reply.headers;
    return { ...reply, location: location && new URL(location, url).href };
  }
  /** Follows redirects until `until(url)`, which is not asked any more; gives that address. */
  async go(url, until) {
    for (let i = 0; i < 12; i++) {
      if (until(url)) return url;
      const reply = await this.get(url);
      if (!reply.location) return reply;
      url = reply.location;
    }
    throw new Error("redirects without an end");
  }
}
