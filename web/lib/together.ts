// What a screen asks for at once goes in one request: over HTTP/1.1 each is a trip of its own, and a browser makes
// six at a time.
import { ApiError, call, gets, refusals, V1, withQuery, type Query } from "./api";

/** So many the service takes. */
const MOST = 32;

/** What it reads together: small, JSON, and there at once. */
const may = new RegExp(
  "^/(projects|deleted-projects|keys|people|limits/usage)$|^/projects/\\d+(/(stats|opening|progress|content|content/pages|deleted|sources|labels" +
    "|conversations|citations/\\d+|conversations/[\\w-]+/messages/\\d+/claims|settings|settings/schema" +
    "|settings/personas|settings/persona/\\d+/sub-personas|reports/\\w+|plugins|licenses|gaps|conflicts|answers|tests))?$",
);

interface Wanted {
  address: string;
  signal?: AbortSignal;
  take: (value: any) => void;
  fail: (error: unknown) => void;
}
interface Read {
  status: number;
  reason?: string;
  retry_after?: number;
  body: any;
}

function settle({ take, fail, signal }: Wanted, { status, reason, retry_after, body }: Read) {
  if (signal?.aborted) fail(signal.reason);
  else if (status < 300) take(body.data ?? body);
  else fail(new ApiError(refusals.say(body.message ?? "", reason ?? null), status, retry_after));
}

async function send(some: Wanted[]) {
  try {
    if (some.length === 1) {
      const { address, signal, take } = some[0]!;
      take(await call("GET", V1 + address, { signal }));
      return;
    }
    const query = new URLSearchParams(some.map(({ address }) => ["path", address]));
    const read = await call<Read[]>("GET", `${V1}/together?${query}`);
    some.forEach((one, i) => settle(one, read[i]!));
  } catch (error) {
    for (const { fail } of some) fail(error);
  }
}

let waiting: Wanted[] = [];

function flush() {
  const all = waiting.filter(({ signal }) => !signal?.aborted);
  for (const { signal, fail } of waiting) if (signal?.aborted) fail(signal.reason);
  waiting = [];
  for (let i = 0; i < all.length; i += MOST) void send(all.slice(i, i + MOST));
}

gets.read = <T>(path: string, query?: Query, signal?: AbortSignal) => {
  if (!may.test(path)) return call<T>("GET", V1 + path, { query, signal });
  return new Promise<T>((take, fail) => {
    // What one drawing of the screen asks for stands together in the next task.
    if (!waiting.length) setTimeout(flush);
    waiting.push({ address: withQuery(path, query), signal, take, fail });
  });
};
