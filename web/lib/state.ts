// What all screens share: who is signed in, the agent in hand, what is to be told.
import { computed, signal } from "@preact/signals";
import { call, get, headers, onSignedOut, send, V1 } from "./api";
import type { Agent, Progress, SignIn, Stats } from "./types";

headers["x-docent-session"] = "1";

export const signIn = signal<SignIn | null>(null);
onSignedOut.call = () => {
  if (signIn.value?.signed_in) signIn.value = { ...signIn.value, signed_in: false };
};

export async function readSignIn() {
  signIn.value = await call<SignIn>("GET", "/session");
}

export async function enter(by: { key: string } | { link: string } | { by: "gateway" }) {
  signIn.value = await call<SignIn>("POST", "/session", { body: by });
}

export async function leave() {
  const { continue: on } = await call<{ continue: string | null }>("DELETE", "/session");
  agent.value = null;
  if (on) location.assign(on); // the provider signs its browser out as well
  await readSignIn();
}

export const hasFeature = (name: string) => signIn.value?.features.includes(name) ?? false;
/** A key of the whole account, or an owner of it: others neither make agents nor see keys and people. */
export const isWhole = computed(() => {
  const { person, project_ids } = signIn.value ?? {};
  return person ? person.role === "owner" : !project_ids?.length;
});

// ---- the agent in hand ----

export const agent = signal<Agent | null>(null);
export const stats = signal<Stats | null>(null);
export const progress = signal<Progress | null>(null);

/** The agent that is shown, or that will be: an answer about another one comes too late. */
let wanted = 0;

/** From now on it is this one. */
export function turnTo(id: number) {
  if (agent.value?.id !== id) forgetAgent();
  wanted = id;
}

export async function readAgent(id: number) {
  const found = await get<Agent>(`/projects/${id}`);
  if (id === wanted) agent.value = found;
}

export async function readStats(id: number) {
  const found = await get<Stats>(`/projects/${id}/stats`);
  if (id === wanted) stats.value = found;
}

let etag = "";

/** True when something has changed since the last call. */
export async function readProgress(id: number): Promise<boolean> {
  if (!progress.value) {
    // The first time it comes with all else that a screen asks for.
    const found = await get<Progress>(`/projects/${id}/progress`);
    if (id === wanted) progress.value = found;
    return id === wanted;
  }
  const reply = await send("GET", `${V1}/projects/${id}/progress`, {
    headers: etag ? { "if-none-match": etag } : {},
  });
  if (reply.status === 304) return false;
  const { data } = await reply.json();
  if (id !== wanted) return false;
  const isNew = etag !== "" || JSON.stringify(data) !== JSON.stringify(progress.value);
  etag = reply.headers.get("etag") ?? "";
  progress.value = data;
  return isNew;
}

export function forgetAgent() {
  wanted = 0;
  agent.value = null;
  stats.value = null;
  progress.value = null;
  etag = "";
}

// ---- told in a corner, for some seconds ----

export interface Toast {
  id: number;
  text: string;
  action?: { label: string; run: () => void };
}
export const toasts = signal<Toast[]>([]);
let toastId = 0;

export function tell(text: string, action?: Toast["action"], ms = action ? 8000 : 4000) {
  const toast = { id: ++toastId, text, action };
  toasts.value = [...toasts.value, toast];
  setTimeout(() => (toasts.value = toasts.value.filter((other) => other !== toast)), ms);
}

/** Runs it; an error is told in the service's sentence. */
export async function attempt(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    tell((error as Error).message, undefined, 7000);
    return false;
  }
}
