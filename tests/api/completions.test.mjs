// What is made of the tables of commands and options: completions of three shells, and manual pages.
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { assert, docent, test } from "./lib/harness.mjs";
import { folder } from "./lib/util.mjs";

const run = promisify(execFile);

async function printed(...args) {
  const { code, stdout, stderr } = await docent(args);
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}

async function script(t, shell) {
  const file = path.join(await folder(t), `docent.${shell}`);
  await writeFile(file, await printed("completions", shell));
  return file;
}

/** Runs a program; null, and the test is skipped, where it is not installed. */
async function tried(t, program, args, options) {
  try {
    return await run(program, args, options);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    t.skip(`needs ${program}`);
    return null;
  }
}

test("bash completes commands, verbs, options and names of files", async (t) => {
  const file = await script(t, "bash");
  const cwd = await folder(t);
  await writeFile(path.join(cwd, "plans.txt"), "");
  /** What it offers for the last of these words. */
  const offered = async (...words) => {
    const line = ["docent", ...words].map((word) => `'${word}'`).join(" ");
    const ask = `source '${file}'; COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _docent; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run("bash", ["-c", ask], { cwd });
    return stdout.trim().split("\n");
  };
  assert.deepEqual(await offered("ser"), ["serve"]);
  assert.ok((await offered("")).includes("restore"));
  assert.ok(!(await offered("")).includes("parse-worker"));
  assert.deepEqual(await offered("serve", "--lis"), ["--listen"]);
  assert.deepEqual(await offered("doctor", "--js"), ["--json"]);
  assert.deepEqual(await offered("key", "rev"), ["revoke"]);
  assert.deepEqual(await offered("key", "create", "--stor"), ["--store"]);
  assert.deepEqual(await offered("key", "create", "--lis"), [""]);
  assert.deepEqual(await offered("serve", "--plans", "pl"), ["plans.txt"]);
  assert.deepEqual(await offered("serve", "--data", "pl"), [""]);
  assert.deepEqual(await offered("serve", "--listen", "pl"), [""]);
  assert.deepEqual(await offered("parse", "pl"), ["plans.txt"]);
});

test("fish completes commands and options", async (t) => {
  const file = await script(t, "fish");
  const env = { ...process.env, HOME: await folder(t) };
  const lines = ["docent ser", "docent serve --liste", "docent backup ver", "docent config --sto"];
  const ask = `source '${file}'; ${lines.map((line) => `complete -C '${line}'`).join("; ")}`;
  const found = await tried(t, "fish", ["--no-config", "-c", ask], { env });
  if (!found) return;
  const words = found.stdout.split("\n").map((line) => line.split("\t")[0]);
  for (const want of ["serve", "--listen", "verify", "--store"]) assert.ok(words.includes(want), found.stdout);
  assert.match(found.stdout, /^serve\trun the service/m);
});

test("zsh reads its script", async (t) => {
  const file = await script(t, "zsh");
  const found = await tried(t, "zsh", ["-f", "-n", file]);
  assert.equal(found?.stderr ?? "", "");
  assert.match(await printed("completions", "zsh"), /^#compdef docent\n/);
});

test("manual pages name every command and option, and are well formed", async (t) => {
  const [program, file] = [await printed("man"), await printed("man", "docent.conf")];
  const plain = (page) =>
    page
      .replace(/\\f[BP]|\\&/g, "")
      .replaceAll("\\-", "-")
      .replaceAll("\\e", "\\");
  const help = await printed("help");
  for (const [, command] of help.matchAll(/^ {2}docent (\S+)/gm))
    assert.ok(plain(program).includes(`\n${command} `), `${command} is not in docent(1)`);
  const options = await printed("serve", "--help");
  for (const [, flag] of options.matchAll(/^ {2}--(\S+)/gm)) {
    assert.ok(plain(program).includes(`\n--${flag} `), `--${flag} is not in docent(1)`);
    assert.ok(plain(file).includes(`\n${flag} = `), `${flag} is not in docent.conf(5)`);
  }
  for (const page of [program, file]) {
    const at = path.join(await folder(t), "page");
    await writeFile(at, page);
    const found = await tried(t, "groff", ["-man", "-ww", "-z", "-K", "utf8", at]);
    assert.equal(found?.stderr ?? "", "");
  }
});

test("an unknown shell or page is wrong usage", async () => {
  for (const args of [["completions"], ["completions", "tcsh"], ["man", "docent.ini"]])
    assert.equal((await docent(args)).code, 2);
});
