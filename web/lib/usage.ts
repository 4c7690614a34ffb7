// What the account uses of its plan.
import { signal } from "@preact/signals";
import { get } from "./api";

export interface Usage {
  max_projects_num: number;
  current_projects_num: number;
  max_total_storage_credits: number;
  current_total_storage_credits: number;
  max_queries: number;
  current_queries: number;
}

export const usage = signal<Usage | null>(null);

export const readUsage = async (): Promise<Usage> => (usage.value = await get<Usage>("/limits/usage"));
