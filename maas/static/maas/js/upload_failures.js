// Failed uploads, stored in this tab for this account: they survive a reload, and only the person hides them.
import { tenantOf } from "./requests.js";

const MAX_KEPT = 100;
const LONGEST_NAME = 300;
const LONGEST_REASON = 600;
const place = () => `failed-uploads/${tenantOf(document)}`;

export const isFailure = ({ state }) => ["failed", "refused"].includes(state);

/** The stored fields. A URL is never stored, since its query may be a secret. */
export function keepFailures(uploads) {
  const kept = uploads.slice(-MAX_KEPT).map(({ file, words }) => ({
    name: file.name.slice(0, LONGEST_NAME),
    size: file.size,
    lastModified: file.url ? null : file.lastModified,
    words: words.slice(0, LONGEST_REASON),
  }));
  try {
    if (kept.length) sessionStorage.setItem(place(), JSON.stringify(kept));
    else sessionStorage.removeItem(place());
  } catch {
    // Without storage, they are shown until the page is left.
  }
}

/** Returns rows of the tray. Their files are gone with the earlier page, so they cannot be retried. */
export function failuresBefore() {
  try {
    return JSON.parse(sessionStorage.getItem(place()) ?? "[]").map(({ name, size, lastModified, words }) => ({
      file: { name, size, lastModified },
      state: "refused",
      words,
      restored: true,
    }));
  } catch {
    return [];
  }
}
