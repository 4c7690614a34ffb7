// An answer whose stream broke is read on behind what has come, as often as its line breaks.
import { ApiError } from "./api";

/** A line that breaks is tried anew, after longer and longer pauses. */
const RETRIES = 9,
  PAUSE_MS = 250,
  PAUSE_MOST_MS = 8000;

interface Rest {
  /** Bytes that have come. */
  length: () => number;
  /** Reads on behind so many bytes; true: the answer is whole. */
  read: (from: number) => Promise<boolean>;
  /** The service knows nothing of the answer: an error says that it never will. */
  missing?: () => Promise<unknown>;
  signal: AbortSignal;
}

export const bytesOfText = (text: string) => new TextEncoder().encode(text).length;

/** Ends when the answer is whole; throws where it cannot be had. */
export async function goOn({ length, read, missing, signal }: Rest): Promise<void> {
  for (let tried = 0; ; tried++) {
    const from = length();
    try {
      if (await read(from)) return;
      if (length() > from) tried = 0;
      else if (tried >= RETRIES) throw new ApiError("", 0);
    } catch (error) {
      // Not there yet, or nobody there to ask: perhaps in a moment.
      const { status } = error as ApiError;
      if (signal.aborted || !(status === 0 || status === 404 || status === 503) || tried >= RETRIES - 1) throw error;
      if (status === 404) await missing?.();
    }
    await new Promise((go) => setTimeout(go, Math.min(PAUSE_MS * 2 ** tried, PAUSE_MOST_MS)));
  }
}
