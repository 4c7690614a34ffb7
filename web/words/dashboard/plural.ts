import { number } from "../../lib/format";

/** "1 document", "2 documents"; languages that count otherwise say from where on there are many. */
export const plural = (n: number, one: string, many: string, isOne = n === 1) => `${number(n)} ${isOne ? one : many}`;
