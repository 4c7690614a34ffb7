// Films of video sites: what is said in them, by yt-dlp, of which there is a double here.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { assert, start, test, until } from "./lib/harness.mjs";
import { mayFetch, site } from "./lib/site.mjs";

/* It fetches a file of the site through the proxy that it is given, and tries what it must not do. */
const double = `#!/bin/sh
for word; do
  case $before in
  -o) out=$word ;;
  --proxy) proxy=$word ;;
  --sub-langs) langs=$word ;;
  esac
  before=$word
done
url=$word
case $url in
*silent*) echo "A silent film"; exit 0 ;;
*private*) echo "ERROR: private" >&2; exit 1 ;;
esac
name=\${out%%.%*}
said=
cat /etc/passwd >/dev/null 2>&1 && said="$said reads what is not its own"
(: >/tmp/docent-film-escape) 2>/dev/null && said="$said writes elsewhere"
curl -s --noproxy '*' -m 5 "$url.aside" -o aside 2>/dev/null
curl -s --proxy "$proxy" -m 5 "http://127.0.0.2:9/" -o aside 2>/dev/null
curl -s --proxy "$proxy" "$url.vtt" -o "$name.en.vtt" || exit 1
printf 'WEBVTT\\n\\n00:01.000 --> 00:02.000\\nKein Wort davon.\\n' >"$name.fr.vtt"
echo "The tour of Velmora$said"
`;

function doubleOf(t) {
  const dir = mkdtempSync(path.join(tmpdir(), "docent-story-film-"));
  const file = path.join(dir, "yt-dlp");
  writeFileSync(file, double);
  chmodSync(file, 0o755);
  chmodSync(dir, 0o755);
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return file;
}

const settled = (agent) =>
  until(
    "the film to be read or given up",
    async () => {
      const [page] = await agent.pages();
      return page && page.crawl_status !== "queued" && page.index_status !== "queued" && page;
    },
    60_000,
  );
const quick = { ...mayFetch.env, DOCENT_HOST_PAUSE: "5", DOCENT_VIDEO_HOSTS: "127.0.0.1" };

test("what is said in a film of a video site is found, and cited at its moment", async (t) => {
  const kb = await start(t, { env: { ...quick, DOCENT_YT_DLP: doubleOf(t) } });
  const web = await site(t);
  const cue = (at, text) => `${at}.000 --> 00:59:00.000\n${text}\n\n`;
  web.set("/talk.vtt", {
    "content-type": "text/vtt",
    body: `WEBVTT\nKind: captions\nLanguage: en\n\n${cue("00:01:23", "The lighthouse was painted by Ottilie Brandt.")}`,
  });
  web.page("/talk", "Not this", "The page of the site is not what is read.");
  web.set("/robots.txt", { body: "User-agent: *\nDisallow: /secret\n", "content-type": "text/plain" });

  const agent = await kb.agent({ sitemap_path: `${web.url}/talk` });
  const page = await settled(agent);
  assert.deepEqual([page.index_status, page.page_url], ["ok", `${web.url}/talk`], page.status_reason);
  const message = await agent.ask("Who painted the lighthouse?");
  assert.match(message.llm_response, /Ottilie Brandt/);
  const { claims } = await agent.expect(200, "GET", `/conversations/${message.session}/messages/${message.id}/claims`);
  assert.equal(claims[0].places[0].second, 83);
  const citation = await agent.expect(200, "GET", `/citations/${message.citations[0]}`);
  assert.deepEqual([citation.title, citation.url], ["The tour of Velmora", `${web.url}/talk`]);
  assert.deepEqual(
    web.log.map((entry) => entry.path),
    ["/talk.vtt"],
    "the page itself is not asked for, and nothing past the gate",
  );

  for (const [name, reason] of [
    ["silent", /no subtitles that yt-dlp finds/],
    ["private", /yt-dlp gets no subtitles of the film/],
    ["secret", /robots\.txt/],
  ]) {
    const other = await kb.agent({ sitemap_path: `${web.url}/${name}` });
    const given = await settled(other);
    assert.notEqual(given.index_status, "ok");
    assert.match(given.status_reason, reason);
  }
});

test("without yt-dlp a film's page is read as a page, and says what to install", async (t) => {
  const kb = await start(t, { env: { ...quick, DOCENT_YT_DLP: "none" } });
  const web = await site(t);
  web.page("/talk", "The tour of Velmora", `A film of the harbour. <a href="/next">The next film</a>`);
  const agent = await kb.agent({ sitemap_path: `${web.url}/talk` });
  const page = await settled(agent);
  assert.equal(page.index_status, "ok");
  assert.match(page.status_reason, /install yt-dlp/);
  assert.equal((await agent.pages()).length, 1, "what stands beside a film is not followed");
});
