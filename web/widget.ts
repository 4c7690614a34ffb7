// The script on a foreign page: a button that opens the agent, a frame within the page, or a panel
// beside it. The agent itself runs in a frame of our own origin, made when it is first wanted.
//
//   <script src="https://docent.example/widget.js" data-agent="SLUG" defer></script>
//
// data-mode: float (default), inline, copilot. data-position: end (default) or start. data-label: words
// on the button. data-open: open at once. data-target: for inline, a selector of the element behind which
// it stands; without one it stands where the script does.
//
// It needs nothing of the page but script-src and frame-src of our origin: styles are set by script,
// what the button looks like comes as a script too, and a shadow root keeps the page's styles out.

interface Launcher {
  name: string;
  color: string;
  ink: string;
  radius: string;
  avatar: string | null;
}
type Style = Record<string, string>;

const WIDTH = 400;
const NARROW = "(max-width: 560px)";
const WIDE = "(min-width: 960px)";

const script = document.currentScript as HTMLScriptElement;
const home = new URL(script.src).origin;
const { agent = "", mode = "float", position = "end", label = "", target = "" } = script.dataset;

/** Nothing of the page's own style goes before it. */
function dress(element: HTMLElement | SVGElement, style: Style) {
  for (const name in style) element.style.setProperty(name, style[name]!, "important");
}

let frame: HTMLIFrameElement | null = null;
let isOpen = false;
let isReady = false;
let look: Launcher;
let context = "";
let token = "";
const waiting: object[] = [];
const host = document.createElement("div");
const root = host.attachShadow({ mode: "open" });
const button = document.createElement("button");

function tell(message: object) {
  if (isReady) frame!.contentWindow!.postMessage(message, home);
  else waiting.push(message);
}

const page = () => ({ docent: "page", title: document.title, url: location.href, context, token });

function icon(path: string) {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  dress(svg, {
    width: "24px",
    height: "24px",
    fill: "none",
    stroke: "currentColor",
    "stroke-width": "1.8",
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
    flex: "none",
  });
  svg.append(Object.assign(document.createElementNS(ns, "path")));
  svg.firstElementChild!.setAttribute("d", path);
  return svg;
}

function drawButton() {
  const drawn = icon(isOpen ? "m6 9 6 6 6-6" : "M4 5h16v11H9l-5 4z");
  button.replaceChildren(drawn);
  if (look.avatar && !isOpen) {
    const picture = new Image(36, 36);
    dress(picture, { "border-radius": "50%", "object-fit": "cover" });
    picture.onload = () => !isOpen && drawn.replaceWith(picture);
    picture.alt = "";
    picture.src = look.avatar;
  }
  if (label && !isOpen) button.append(label);
  button.setAttribute("aria-label", label || look.name);
  button.setAttribute("aria-expanded", String(isOpen));
}

/** Where the agent stands within the page; a script in the head has no place of its own. */
function spot(): Element | null {
  if (!target) return document.body.contains(script) ? script : null;
  try {
    const found = document.querySelector(target);
    if (found) return found;
  } catch {
    // No selector.
  }
  console.warn(`Docent: nothing on this page is ${target} (data-target)`);
  return document.body.contains(script) ? script : null;
}

/** Beside, above or within the page, or all of a narrow one. */
function place() {
  const narrow = matchMedia(NARROW).matches;
  const side = position === "start" ? "inset-inline-start" : "inset-inline-end";
  const shown = isOpen ? "block" : "none";
  if (mode === "inline")
    dress(frame!, {
      width: "100%",
      height: script.dataset.height || "min(720px, 85vh)",
      border: "0",
      display: "block",
      "color-scheme": "normal",
    });
  else if (frame) {
    const floats = mode === "float" && !narrow;
    dress(frame, {
      display: shown,
      position: "fixed",
      inset: "auto",
      [side]: floats ? "20px" : "0",
      bottom: floats ? "88px" : "0",
      width: narrow ? "100%" : `min(${WIDTH}px, calc(100vw - 40px))`,
      height: floats ? "min(704px, calc(100dvh - 108px))" : "100dvh",
      border: "0",
      "border-radius": floats ? (look.radius === "sharp" ? "0" : "16px") : "0",
      "box-shadow": narrow ? "none" : "0 2px 6px #171b1914, 0 18px 60px #171b1933",
      "color-scheme": "normal",
    });
  }
  dress(button, { display: isOpen && (narrow || mode === "copilot") ? "none" : "flex" });
  if (mode === "copilot")
    document.documentElement.style.setProperty(
      position === "start" ? "margin-inline-start" : "margin-inline-end",
      isOpen && matchMedia(WIDE).matches ? `${WIDTH}px` : "",
    );
}

function load() {
  if (frame) return;
  frame = document.createElement("iframe");
  frame.title = look.name;
  frame.referrerPolicy = "origin";
  frame.allow = "clipboard-write";
  frame.src = `${home}/embed/${agent}?mode=${mode}`;
  root.append(frame);
}

function open() {
  if (!look) return void (script.dataset.open = "");
  load();
  isOpen = true;
  if (mode !== "inline") drawButton();
  place();
  if (mode !== "inline") frame!.focus();
  tell(page());
}

function close() {
  if (!isOpen || mode === "inline") return;
  isOpen = false;
  drawButton();
  place();
  button.focus();
}

const api = {
  open,
  close,
  ask(text: string) {
    open();
    tell({ docent: "ask", text: String(text) });
  },
  /** What the page says of the moment; goes along with each question. */
  context(value: unknown) {
    context = typeof value === "string" ? value : JSON.stringify(value);
    tell(page());
  },
  /** Who the visitor is, as the site's server has signed it; null: nobody any more. */
  identify(jwt: string | null) {
    token = jwt ?? "";
    tell(page());
  },
  /** The script's answer about the button: it comes where this site may show the agent. */
  dress(launcher: Launcher) {
    look = launcher;
    if (mode === "inline") {
      const behind = spot();
      if (behind) behind.after(host);
      else document.body.append(host);
      open();
      return;
    }
    dress(button, {
      all: "initial",
      position: "fixed",
      [position === "start" ? "inset-inline-start" : "inset-inline-end"]: "20px",
      bottom: "20px",
      "align-items": "center",
      "justify-content": "center",
      gap: "10px",
      "min-width": "56px",
      height: "56px",
      padding: label ? "0 20px" : "0",
      "box-sizing": "border-box",
      "border-radius": look.radius === "sharp" ? "0" : "28px",
      background: look.color,
      color: look.ink,
      font: "600 15px/1 system-ui, sans-serif",
      cursor: "pointer",
      "box-shadow": "0 6px 20px #0000003d",
    });
    // Whoever comes by the keyboard sees where they are.
    button.onfocus = () =>
      button.matches(":focus-visible") &&
      dress(button, { outline: `3px solid ${look.color}`, "outline-offset": "3px" });
    button.onblur = () => dress(button, { outline: "none" });
    button.onclick = () => (isOpen ? close() : open());
    drawButton();
    root.append(button);
    document.body.append(host);
    // The top layer: above all z-indexes, and outside of transformed parents.
    host.popover = "manual";
    host.showPopover?.();
    place();
    for (const query of [NARROW, WIDE]) matchMedia(query).addEventListener("change", place);
    if (script.dataset.open !== undefined) open();
  },
};

dress(host, { all: "initial", ...(mode === "inline" ? { display: "block" } : { display: "contents" }) });

addEventListener("message", ({ source, origin, data }) => {
  if (!frame || source !== frame.contentWindow || origin !== home || !data?.docent) return;
  const { docent, ...detail } = data;
  if (docent === "close") close();
  if (docent === "ready") {
    isReady = true;
    for (const message of waiting.splice(0)) tell(message);
  }
  document.dispatchEvent(new CustomEvent(`docent:${docent}`, { detail }));
});

const scope = window as unknown as { Docent?: typeof api & { all: Record<string, typeof api> } };
scope.Docent ??= Object.assign({ ...api }, { all: {} });
scope.Docent.all[agent] = api;

const asking = document.createElement("script");
asking.src = `${home}/embed/${agent}/launcher.js`;
asking.referrerPolicy = "origin";
asking.onerror = () => console.warn(`Docent: ${home} has no public agent ${agent}`);
document.head.append(asking);

export {};
