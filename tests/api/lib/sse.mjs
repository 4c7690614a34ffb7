// Server-sent events as the contract frames them, and nothing looser: a client that splits on LF and
// takes what it finds must find only this.

const text = (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);

function frames(bytes) {
  const whole = text(bytes);
  if (whole.includes("\r")) throw new Error("the stream holds a CR");
  if (!whole.endsWith("\n\n"))
    throw new Error(`the stream does not end with a frame: ${JSON.stringify(whole.slice(-80))}`);
  return whole.slice(0, -2).split("\n\n");
}

/** The events of the message endpoint: [{ event, data, json }]. */
export function namedEvents(bytes) {
  return frames(bytes).map((frame) => {
    const match = /^event: ([a-z]+)\ndata: (\{[^\n]*\})$/.exec(frame);
    if (!match) throw new Error(`not a frame of the contract: ${JSON.stringify(frame)}`);
    return { event: match[1], json: match[2], data: JSON.parse(match[2]) };
  });
}

/** The events of a numbered stream, which may have been left in the middle: [{ id, event, data }]. */
export function numberedEvents(bytes) {
  const whole = text(bytes);
  return whole
    .slice(0, whole.lastIndexOf("\n\n"))
    .split("\n\n")
    .filter((frame) => frame !== ":")
    .map((frame) => {
      const match = /^id: (\d+)\nevent: ([a-z]+)\ndata: (\{[^\n]*\})$/.exec(frame);
      if (!match) throw new Error(`not a frame of a numbered stream: ${JSON.stringify(frame)}`);
      return { id: Number(match[1]), event: match[2], data: JSON.parse(match[3]) };
    });
}

/** The chunks of chat/completions: parsed, the closing [DONE] checked and left out. */
export function chunks(bytes) {
  const all = frames(bytes);
  if (all.pop() !== "data: [DONE]") throw new Error("the stream does not end with data: [DONE]");
  return all.map((frame) => {
    const match = /^data: (\{[^\n]*\})$/.exec(frame);
    if (!match) throw new Error(`not a frame of the contract: ${JSON.stringify(frame)}`);
    return JSON.parse(match[1]);
  });
}
