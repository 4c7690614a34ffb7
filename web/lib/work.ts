// The work that a visit may ask of the browser in place of a captcha: a number after which the SHA-256
// of the challenge begins with so many zero bits. In small pieces, so that the page answers meanwhile.
// The browser's own SHA-256 is only for pages over TLS, and slower for texts as short as these.

const K = new Uint32Array(64);
const START = new Uint32Array(8);
{
  // Fractions of the roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3).
  const fraction = (x: number) => ((x - Math.floor(x)) * 0x100000000) >>> 0;
  let count = 0;
  for (let n = 2; count < 64; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false;
    if (!prime) continue;
    if (count < 8) START[count] = fraction(Math.sqrt(n));
    K[count++] = fraction(Math.cbrt(n));
  }
}

const w = new Uint32Array(64);

/** The first word of the hash of a text of at most 55 bytes. */
function firstWord(text: string): number {
  w.fill(0);
  for (let i = 0; i < text.length; i++) w[i >> 2]! |= text.charCodeAt(i) << (24 - 8 * (i & 3));
  w[text.length >> 2]! |= 0x80 << (24 - 8 * (text.length & 3));
  w[15] = text.length * 8;
  for (let i = 16; i < 64; i++) {
    const a = w[i - 15]!,
      b = w[i - 2]!;
    const s0 = ((a >>> 7) | (a << 25)) ^ ((a >>> 18) | (a << 14)) ^ (a >>> 3);
    const s1 = ((b >>> 17) | (b << 15)) ^ ((b >>> 19) | (b << 13)) ^ (b >>> 10);
    w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = START as unknown as number[];
  for (let i = 0; i < 64; i++) {
    const s1 = ((e! >>> 6) | (e! << 26)) ^ ((e! >>> 11) | (e! << 21)) ^ ((e! >>> 25) | (e! << 7));
    const t1 = (h! + s1 + ((e! & f!) ^ (~e! & g!)) + K[i]! + w[i]!) | 0;
    const s0 = ((a! >>> 2) | (a! << 30)) ^ ((a! >>> 13) | (a! << 19)) ^ ((a! >>> 22) | (a! << 10));
    const t2 = (s0 + ((a! & b!) ^ (a! & c!) ^ (b! & c!))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d! + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  return (START[0]! + a!) >>> 0;
}

const AT_ONCE = 2000;

export async function prove(challenge: string, bits: number, signal?: AbortSignal): Promise<string> {
  const limit = 2 ** (32 - bits);
  for (let nonce = 0; ;) {
    for (const end = nonce + AT_ONCE; nonce < end; nonce++)
      if (firstWord(`${challenge}.${nonce}`) < limit) return String(nonce);
    signal?.throwIfAborted();
    await new Promise((go) => setTimeout(go));
  }
}
