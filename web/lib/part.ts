// Code that is fetched when it is first needed.

const PAUSES_MS = [300, 1000, 3000];

/** What `load` imports. A network that fails for a moment leaves no hole: it is asked again, a few times. */
export async function part<T>(load: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return load();
}
