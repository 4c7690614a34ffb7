// Readers of Markdown, as other people's pages use them, and where what they make of a text leads to: the
// addresses of its pictures, links and whatever else loads or leads.
import * as commonmark from "commonmark";
import MarkdownIt from "markdown-it";
import { Marked } from "marked";
import rehypeRaw from "rehype-raw";
import rehypeStringify from "rehype-stringify";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { parseFragment } from "parse5";
import { unified } from "unified";

const parser = new commonmark.Parser(),
  writer = new commonmark.HtmlRenderer(),
  marked = new Marked(),
  plain = new MarkdownIt(),
  html = new MarkdownIt({ html: true }),
  linkify = new MarkdownIt({ html: true, linkify: true }),
  remark = unified()
    .use(remarkParse)
    .use(remarkRehype, { allowDangerousHtml: true })
    .use(rehypeRaw)
    .use(rehypeStringify),
  gfm = unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkRehype, { allowDangerousHtml: true })
    .use(rehypeRaw)
    .use(rehypeStringify);

/** Each makes HTML of a text. */
export const readers = {
  commonmark: (text) => writer.render(parser.parse(text)),
  "markdown-it": (text) => plain.render(text),
  "markdown-it with HTML": (text) => html.render(text),
  "markdown-it that makes links": (text) => linkify.render(text),
  marked: (text) => marked.parse(text),
  remark: (text) => String(remark.processSync(text)),
  "remark for GitHub": (text) => String(gfm.processSync(text)),
};

const LEADS =
  /^(?:src|href|xlink:href|action|formaction|poster|data|background|srcset|ping|cite|srcdoc|style|content)$/;

const textOf = (node) => node.value ?? (node.childNodes ?? []).map(textOf).join("");

/** What in the HTML loads, leads or runs: of each attribute its name, its value and what its element shows. */
export function targets(text) {
  const found = [],
    walk = (node) => {
      for (const { name, value } of node.attrs ?? [])
        if (LEADS.test(name) || name.startsWith("on")) found.push({ name, value, shown: textOf(node) });
      for (const child of [...(node.childNodes ?? []), ...(node.content ? [node.content] : [])]) walk(child);
    };
  walk(parseFragment(text));
  return found;
}

/** Where an address leads, read as a browser does on a page of ours; null: nowhere. */
export function placeOf(value) {
  try {
    return new URL(value, "https://page.example/talk/");
  } catch {
    return null;
  }
}
