// Certificates that a story makes for itself: an authority, and a server's of it.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { folder } from "./util.mjs";

const openssl = (...args) => promisify(execFile)("openssl", args);
const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];

/** An authority that nobody knows yet: the names of its files. */
async function authority(dir, name) {
  const [key, cert] = ["key", "pem"].map((end) => path.join(dir, `${name}.${end}`));
  const ours = ["-subj", `/CN=${name}`, "-addext", "basicConstraints=critical,CA:TRUE"];
  await openssl("req", "-x509", ...fresh, ...ours, "-keyout", key, "-out", cert);
  return { key, cert };
}

/**
 * A certificate for the name localhost and no other: { ca, other, key, cert }. `ca` is the file of who
 * signed it, `other` that of one who did not; key and cert are text.
 */
export async function certificate(t) {
  const dir = await folder(t);
  const [ca, other] = [await authority(dir, "ours"), await authority(dir, "other")];
  const [key, request, cert] = ["key", "csr", "pem"].map((end) => path.join(dir, `server.${end}`));
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  await openssl("req", ...fresh, ...names, "-keyout", key, "-out", request);
  const signer = ["-CA", ca.cert, "-CAkey", ca.key, "-CAcreateserial", "-days", "2", "-copy_extensions", "copy"];
  await openssl("x509", "-req", "-in", request, ...signer, "-out", cert);
  return {
    ca: ca.cert,
    other: other.cert,
    key: await readFile(key, "utf8"),
    cert: await readFile(cert, "utf8"),
  };
}
