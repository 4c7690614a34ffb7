// The answers of one connection, taken apart strictly: what is left over is a failure.

/** All answers in `bytes`, in order: { status, headers, body }. `methods` are those of the requests:
 * an answer to HEAD has no body. Interim answers (1xx) are passed over. */
export function readAnswers(bytes, methods = []) {
  const answers = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf("\r\n\r\n", at);
    if (end < 0) throw new Error(`an answer without an end: ${bytes.toString("latin1", at, at + 200)}`);
    const [line, ...fields] = bytes.toString("latin1", at, end).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
    if (!status) throw new Error(`no status line: ${line.slice(0, 200)}`);
    const headers = Object.fromEntries(
      fields.map((field) => [
        field.slice(0, field.indexOf(":")).toLowerCase(),
        field.slice(field.indexOf(":") + 1).trim(),
      ]),
    );
    at = end + 4;
    if (status < 200) continue;
    let body = "";
    if (methods[answers.length] !== "HEAD" && status !== 204 && status !== 304) {
      const length = Number(headers["content-length"]);
      if (!Number.isInteger(length) || at + length > bytes.length) throw new Error(`the body of ${line} is not whole`);
      body = bytes.toString("utf8", at, at + length);
      at += length;
    }
    answers.push({ status, headers, body });
  }
  return answers;
}
