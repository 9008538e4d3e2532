// Sends a large file to the storage itself, in parts: each by an address that is signed for it alone.
import { postJson, unreachable } from "./requests.js";
import { transfer } from "./transfers.js";

export const sentBytes = (stored) => stored.reduce((sum, { bytes }) => sum + bytes, 0);

/** What is `stored` is not sent again. Throws with `notFromHere` where the storage takes nothing at all from this page. */
export async function sendParts({ id, url, parts, stored = [] }, file, { onSent, onStored, signal }) {
  const there = new Set(stored.map(({ number }) => number));
  let sent = sentBytes(stored);
  onSent(sent);
  for (let number = 1; number <= parts.total; number += 1) {
    if (there.has(number)) continue;
    const start = (number - 1) * parts.bytes;
    const piece = file.slice(start, start + parts.bytes);
    const [signed] = (await postJson(`${url}/parts`, { numbers: [number] }, {}, signal)).data;
    try {
      await transfer("PUT", signed.url, piece, { elsewhere: true, onSent: (some) => onSent(sent + some), signal });
    } catch (error) {
      if (signal.aborted) throw error;
      if (!there.size && navigator.onLine) throw Object.assign(new Error("not from here"), { notFromHere: id });
      // Whatever it was, it is tried again, by an address that is signed anew.
      throw unreachable();
    }
    there.add(number);
    sent += piece.size;
    onStored();
  }
  await postJson(`${url}/complete`, {}, {}, signal);
}
