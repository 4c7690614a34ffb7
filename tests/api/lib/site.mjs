// A small website on 127.0.0.1, served by the test itself, and what the server asked of it.
import http from "node:http";
import { gzipSync } from "node:zlib";

/** The options of a server that may fetch from it. */
export const mayFetch = { env: { DOCENT_FETCH_ALLOW: "127.0.0.0/8" } };

export class Site {
  pages = new Map();
  log = []; // { path, headers, at }, but for robots.txt
  whole = []; // with it
  active = 0;
  most = 0; // requests at a time

  async open(t) {
    this.server = http.createServer((req, res) => this.answer(req, res));
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.server.unref();
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    t.after(
      () =>
        new Promise((resolve) => {
          this.server.closeAllConnections();
          this.server.close(resolve);
        }),
    );
    return this;
  }

  async answer(req, res) {
    const path = new URL(req.url, this.url).pathname + new URL(req.url, this.url).search;
    const entry = { path, headers: req.headers, at: Date.now() };
    this.whole.push(entry);
    if (path !== "/robots.txt") this.log.push(entry);
    this.most = Math.max(this.most, ++this.active);
    res.on("close", () => this.active--);
    const page = this.pages.get(path);
    if (!page) return res.writeHead(404, { "content-type": "text/html" }).end("<h1>not here</h1>");
    if (typeof page === "function") return page(req, res);
    const { status = 200, body = "", etag, ...headers } = page;
    if (etag && req.headers["if-none-match"] === etag) return res.writeHead(304, { etag }).end();
    res.writeHead(status, { ...(etag ? { etag } : {}), ...headers });
    res.end(body);
  }

  set(path, page) {
    this.pages.set(path, page);
    return this;
  }

  /** An HTML page with an entity tag of its own content. */
  page(path, title, text, more = {}) {
    const body = `<!doctype html><html lang="en"><head><title>${title}</title><meta name="description" content="About ${title}."></head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`;
    return this.set(path, {
      body,
      "content-type": "text/html; charset=utf-8",
      etag: `"${Buffer.from(text).toString("base64url").slice(-40)}"`,
      ...more,
    });
  }

  sitemap(path, urls, { gzip = false, lastmod = {} } = {}) {
    const absolute = (url) => (url.startsWith("http") ? url : this.url + url);
    const body = `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((u) => `<url><loc>${absolute(u)}</loc>${lastmod[u] ? `<lastmod>${lastmod[u]}</lastmod>` : ""}</url>`).join("")}</urlset>`;
    return this.set(
      path,
      gzip ? { body: gzipSync(body), "content-type": "application/gzip" } : { body, "content-type": "application/xml" },
    );
  }

  asked(path) {
    return this.log.filter((entry) => entry.path === path);
  }
}

export const site = (t) => new Site().open(t);
