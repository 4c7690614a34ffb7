import { type Tables } from "../../lib/language";
import en, { type VisitorWords } from "./en";

export const t: VisitorWords = { ...en };

export const tables: Tables<VisitorWords> = {};
