// The one way to the service: JSON in and out, errors in the service's own sentence. Any surface.

export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    /** Seconds, of a 429 that passes. */
    readonly retryAfter = 0,
  ) {
    super(message);
  }
}

export type Query = Record<string, string | number | boolean | undefined | null>;

/** Fields that every request of a surface carries; the dashboard's make its cookie count. */
export const headers: Record<string, string> = {};

/** What is said when nothing answers; a surface has it in the words of its reader. */
export const noService = { text: "The service does not answer. Is it running?" };

/** What a refusal is told as: its sentence, and the field that says why by code ("code argument argument", each
 * argument percent-encoded), from which a surface makes the words of its reader. */
export const refusals = { say: (message: string, _reason: string | null) => message };

/** Is called when the service no longer knows this browser. */
export const onSignedOut = { call: () => {} };

export const withQuery = (path: string, query: Query = {}) => {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return pairs.length ? `${path}?${new URLSearchParams(pairs.map(([k, v]) => [k, String(v)]))}` : path;
};

const REASON = "docent-reason";

async function failure(reply: Response): Promise<ApiError> {
  const retry = Number(reply.headers.get("retry-after") ?? 0);
  let message = "";
  try {
    message = refusals.say((await reply.json()).message ?? "", reply.headers.get(REASON));
  } catch {
    // No JSON: a proxy in between has answered.
  }
  return new ApiError(message || `${reply.status} ${reply.statusText}`, reply.status, retry);
}

export interface Options {
  query?: Query;
  /** An object goes as JSON, a form as it is. */
  body?: unknown;
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** The answer as it comes; its status is one of success or 304. */
export async function send(method: string, path: string, options: Options = {}): Promise<Response> {
  const { body, query, signal } = options;
  const form = body instanceof FormData;
  let reply: Response;
  try {
    reply = await fetch(withQuery(path, query), {
      method,
      signal,
      credentials: "same-origin",
      headers: {
        accept: "application/json",
        ...headers,
        ...(body !== undefined && !form ? { "content-type": "application/json" } : {}),
        ...options.headers,
      },
      body: form ? body : body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new ApiError(noService.text, 0);
  }
  if (reply.status === 401 && path !== "/session") onSignedOut.call();
  if (!reply.ok && reply.status !== 304) throw await failure(reply);
  return reply;
}

/** The `data` of the envelope. */
export async function call<T>(method: string, path: string, options?: Options): Promise<T> {
  const reply = await send(method, path, options);
  const json = await reply.json();
  return (json.data ?? json) as T;
}

export const V1 = "/api/v1";
/** How something is read; a surface may read several things in one request (together.ts). */
export const gets = {
  read: <T>(path: string, query?: Query, signal?: AbortSignal) => call<T>("GET", V1 + path, { query, signal }),
};
export const get = <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> => gets.read(path, query, signal);
export const post = <T>(path: string, body?: unknown) => call<T>("POST", V1 + path, { body });
export const put = <T>(path: string, body?: unknown) => call<T>("PUT", V1 + path, { body });
export const patch = <T>(path: string, body?: unknown) => call<T>("PATCH", V1 + path, { body });
export const remove = <T>(path: string, body?: unknown) => call<T>("DELETE", V1 + path, { body });

/** An upload that says how far it is: fetch does not. */
export function upload<T>(path: string, form: FormData, progress: (share: number) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", V1 + path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onerror = () => reject(new ApiError(noService.text, 0));
    request.onload = () => {
      let json: { message?: string; data?: T } = {};
      try {
        json = JSON.parse(request.responseText);
      } catch {
        // As above.
      }
      if (request.status < 300) resolve((json.data ?? json) as T);
      else {
        const message = refusals.say(json.message ?? "", request.getResponseHeader(REASON));
        reject(new ApiError(message || `${request.status} ${request.statusText}`, request.status));
      }
    };
    request.send(form);
  });
}
