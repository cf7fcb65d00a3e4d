// SHA-256 of a text, as hexadecimal digits. The browser's own (crypto.subtle) is missing on plain http, as in many home networks.

/** The first 32 bits of the fractional parts of the square or cube roots of the first primes, exactly: as whole numbers, by bisection. */
function roots(count, power) {
  const found = [];
  for (let n = 2; found.length < count; n++) {
    if (Array.from({ length: n - 2 }, (_, k) => k + 2).some((d) => n % d === 0)) continue;
    let low = 0n, high = 1n << 40n;
    while (high - low > 1n) { const middle = (low + high) >> 1n; if (middle ** BigInt(power) > BigInt(n) << BigInt(32 * power)) high = middle; else low = middle; }
    found.push(Number(low & 0xffffffffn));
  }
  return found;
}
let constants = null;

export function sha256(text) {
  constants ??= [roots(8, 2), roots(64, 3)];
  const [start, k] = constants, bytes = new TextEncoder().encode(text), blocks = (bytes.length + 72) >> 6;
  const view = new DataView(new ArrayBuffer(blocks * 64)), w = new Uint32Array(64), hash = [...start];
  bytes.forEach((byte, n) => view.setUint8(n, byte));
  view.setUint8(bytes.length, 128);
  view.setUint32(blocks * 64 - 4, bytes.length * 8);
  const turn = (x, n) => (x >>> n) | (x << (32 - n));
  for (let block = 0; block < blocks; block++) {
    let [a, b, c, d, e, f, g, h] = hash;
    for (let n = 0; n < 64; n++) {
      const x = w[n - 15], y = w[n - 2];
      w[n] = n < 16 ? view.getUint32(block * 64 + n * 4) : w[n - 16] + w[n - 7] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
      const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + k[n] + w[n];
      const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, n) => { hash[n] = (hash[n] + word) >>> 0; });
  }
  return hash.map((word) => word.toString(16).padStart(8, "0")).join("");
}
