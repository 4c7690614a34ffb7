// Server-sent events from a fetched answer, as they come.

export interface Event {
  event: string;
  data: Record<string, unknown>;
}

/** Ends with the answer; aborting its request ends it with an error. */
export async function* events(reply: Response): AsyncGenerator<Event> {
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const lines = rest.slice(0, end).split("\n");
      rest = rest.slice(end + 2);
      const field = (name: string) =>
        lines
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).replace(/^ /, ""))
          .join("\n");
      const data = field("data");
      if (data) yield { event: field("event") || "message", data: JSON.parse(data) };
    }
  }
}
