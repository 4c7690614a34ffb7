// People of the account, and what who is signed in may.
import { signIn } from "./state";

export const rights = ["ask", "conversations", "content", "answers", "manage"] as const;
export type Right = (typeof rights)[number];
export const roles = ["member", "auditor", "owner"] as const;
export type Role = (typeof roles)[number];

export interface Grant {
  /** null: each agent. */
  project_id: number | null;
  rights: Right[];
}

export interface Person {
  id: number;
  name: string;
  email: string;
  role: Role;
  agents: Grant[];
  labels: string[];
  /** false: a directory has switched them off. */
  active: boolean;
  invited_until: string | null;
  seen_at: string | null;
}

export interface Browser {
  id: string;
  is_mine: boolean;
  person_id: number | null;
  key_id: number | null;
  address: string;
  browser: string;
  created_at: string;
  seen_at: string;
}

/** Whether who is signed in has that right for the agent; a key has all of them where it reaches. */
export function may(agent: number, right: Right): boolean {
  const person = signIn.value?.person;
  if (!person || person.role === "owner") return true;
  return person.agents.some(
    (grant) =>
      (grant.project_id === null || grant.project_id === agent) &&
      (grant.rights.includes("manage") ||
        grant.rights.includes(right) ||
        right === "ask" ||
        (right === "conversations" && grant.rights.includes("answers"))),
  );
}

/** Whether who is signed in sees who changed what: an owner or an auditor, or a key of the whole account. */
export function seesAudit(): boolean {
  const { person, project_ids } = signIn.value ?? {};
  return person ? person.role !== "member" : !project_ids?.length;
}
