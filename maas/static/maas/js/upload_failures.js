// Uploads that failed, kept in this tab for this account: a reload does not hide them, only the person does.
import { tenantOf } from "./requests.js";

const MAX_KEPT = 100;
const LONGEST_NAME = 300;
const LONGEST_REASON = 600;
const place = () => `failed-uploads/${tenantOf(document)}`;

export const isFailure = ({ state }) => ["failed", "refused"].includes(state);

/** What is kept of each: never the address of a file on the web, whose query may be a secret. */
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
    // A browser that keeps nothing shows them until the page is left.
  }
}

/** As rows of the tray: their files are gone with the page that held them, so there is nothing to try again. */
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
