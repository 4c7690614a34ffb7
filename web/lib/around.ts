// The page around a frame of ours, which widget.js speaks for: what it may tell, and what it hears. It
// never hears what is said.
import type { Settings } from "./look";
import type { Visitor } from "./visit";

export class Around {
  title = "";
  url = "";
  onPage = () => {};
  /** It has spoken for the first time. */
  met: Promise<void>;
  #meet = () => {};

  /** Of the page, without what may be the visitor's own. */
  get address() {
    return this.url.replace(/[?#].*$/s, "");
  }

  #signed = false;

  constructor(
    readonly settings: Settings,
    visitor: Visitor,
  ) {
    this.met = new Promise((go) => (this.#meet = go));
    visitor.heard = (what, detail) => this.say(what, detail);
    addEventListener("message", ({ source, origin, data }) => {
      if (source !== parent || (settings.site && origin !== settings.site) || !data?.docent) return;
      if (data.docent === "ask") void visitor.ask(String(data.text).slice(0, 8000));
      if (data.docent === "page") {
        this.title = String(data.title ?? "");
        this.url = String(data.url ?? "");
        visitor.context = String(data.context ?? "").slice(0, 8000);
        if (data.token || this.#signed) void visitor.identify(String(data.token ?? ""));
        this.#signed = !!data.token;
        this.onPage();
        this.#meet();
      }
    });
  }

  say(what: string, detail: Record<string, unknown> = {}) {
    parent.postMessage({ docent: what, ...detail }, this.settings.site || "*");
  }
}
