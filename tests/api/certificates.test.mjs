// The database and the bucket over TLS: each is known by who signed for it, and by its name.
import { appendFile, chown, writeFile } from "node:fs/promises";
import path from "node:path";
import { connect } from "node:tls";
import { Bucket } from "./lib/bucket.mjs";
import { certificate } from "./lib/certificate.mjs";
import { assert, docent, start, test, until } from "./lib/harness.mjs";
import { Server } from "./lib/postgres.mjs";
import { folder, freePort } from "./lib/util.mjs";

const warranty = { "warranty.txt": "The warranty of the kettle lasts 27 months." };
const QUESTION = "How long does the warranty of the kettle last?";

/** A PostgreSQL that takes connections with TLS and no others; gives its port. */
async function secured(t, tls) {
  const server = await Server.begin(t);
  await server.psql("postgres", "CREATE DATABASE docent");
  const files = ["key", "cert"].map((name) => path.join(server.dir, `tls.${name}`));
  for (const file of files) {
    await writeFile(file, tls[path.extname(file).slice(1)], { mode: 0o600 });
    if (process.getuid() === 0) await chown(file, 65534, 65534);
  }
  const port = await freePort();
  await appendFile(
    path.join(server.data, "postgresql.conf"),
    `listen_addresses = '127.0.0.1'\nport = ${port}\nssl = on\nssl_key_file = '${files[0]}'\nssl_cert_file = '${files[1]}'\n`,
  );
  await writeFile(path.join(server.data, "pg_hba.conf"), "hostssl all all 127.0.0.1/32 trust\n");
  await server.stop();
  await server.start();
  return port;
}

/** A start that cannot work: the one line that it says. */
async function refused(data, env) {
  const { code, stderr } = await docent(["serve", "--data", data, "--listen", "127.0.0.1:0"], { env });
  assert.equal(code, 1, stderr);
  assert.equal(stderr.trim().split("\n").length, 1, stderr);
  return stderr;
}

test("PostgreSQL over TLS: a foreign authority, a wrong name and plain text are refused", async (t) => {
  const tls = await certificate(t);
  const port = await secured(t, tls);
  const data = await folder(t);
  const place = (host, query) => ({
    DOCENT_STORE: `postgresql://docent@${host}:${port}/docent?hostaddr=127.0.0.1&${query}`,
    DOCENT_BLOB: path.join(data, "blobs"),
  });
  const verified = (ca) => `sslmode=verify-full&sslrootcert=${ca}`;
  const kb = await start(t, { env: place("localhost", verified(tls.ca)) });
  const agent = await kb.agent({ files: warranty });
  assert.match((await agent.ask(QUESTION)).llm_response, /27 months/);

  for (const [env, why] of [
    [place("localhost", verified(tls.other)), /cannot reach the database: .*certificate verify failed/],
    [place("db.example", verified(tls.ca)), /cannot reach the database: .*"localhost".* does not match .*"db.example"/],
    [place("localhost", "sslmode=disable"), /cannot reach the database: .*no encryption/],
  ])
    assert.match(await refused(data, env), why);
});

test("a bucket over TLS: a foreign authority and a wrong name are refused", async (t) => {
  const tls = await certificate(t);
  const bucket = await new Bucket().open(t, 0, tls);
  const env = bucket.env("stories");
  const kb = await start(t, { env: { ...env, SSL_CERT_FILE: tls.ca } });
  const agent = await kb.agent({ files: warranty });
  assert.match((await agent.ask(QUESTION)).llm_response, /27 months/);
  assert.ok(bucket.blobs("stories").length > 0);

  const data = await folder(t);
  const asked = bucket.log.length;
  const elsewhere = bucket.url.replace("localhost", "127.0.0.1");
  for (const more of [{}, { SSL_CERT_FILE: tls.other }, { SSL_CERT_FILE: tls.ca, DOCENT_S3_ENDPOINT: elsewhere }])
    assert.match(await refused(data, { ...env, ...more }), /the bucket stories at .*: its certificate is not trusted/);
  assert.equal(bucket.log.length, asked, "nothing was said to it");
});

test("SIGHUP takes a renewed certificate together with the catalogue, or neither", async (t) => {
  const [first, second] = [await certificate(t), await certificate(t)];
  const dir = await folder(t);
  const [cert, key] = [path.join(dir, "cert.pem"), path.join(dir, "key.pem")];
  const write = async (tls, of = tls) => {
    await writeFile(cert, tls.cert);
    await writeFile(key, of.key);
  };
  await write(first);
  const args = ["--tls-cert", cert, "--tls-key", key];
  const kb = await start(t, { args, key: false });
  /** The certificate that a new connection is shown. */
  const shown = () =>
    new Promise((resolve, reject) => {
      const socket = connect(
        { port: Number(new URL(kb.url).port), host: "127.0.0.1", rejectUnauthorized: false },
        () => {
          resolve(socket.getPeerX509Certificate().toString());
          socket.destroy();
        },
      );
      socket.on("error", reject);
    });
  const plain = (text) => text.replace(/\s/g, "");
  assert.equal(plain(await shown()), plain(first.cert));

  await write(second, first);
  kb.child.kill("SIGHUP");
  await until("the refusal", () => /certificate stay as it was error=TLS key/.test(kb.log));
  assert.equal(plain(await shown()), plain(first.cert));

  await write(second);
  kb.child.kill("SIGHUP");
  await until("the certificate", () => /model catalogue and certificate read again/.test(kb.log));
  assert.equal(plain(await shown()), plain(second.cert));
});
