// Reads this page again and replaces the changed parts, so that only the server renders it.
import { tenantOf } from "./requests.js";
import { showMoments } from "./times.js";

const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
// Searching again after every event of a busy account would cost the server too much.
const SEARCHED_PAUSE_MS = 10_000;

// A failed request is retried soon; a slow server gets a longer timeout the next time.
const FAILED_PAUSES_MS = [1_000, 2_000, 5_000];
const TIMEOUT_MS = [3_000, 10_000, 30_000];

let running = false;
let wanted = false;
let failures = 0;

/** Many calls at once become one request now and one after it. */
export async function refresh() {
  wanted = true;
  if (running) return;
  running = true;
  try {
    while (wanted && !document.hidden) {
      wanted = false;
      const next = await nextReading();
      failures = next === FAILED ? failures + 1 : 0;
      if (next === FAILED) wanted = true;
      else if (next) show(next);
      await new Promise((done) => setTimeout(done, pauseMs()));
    }
  } finally {
    running = false;
  }
}

const searches = () => document.getElementById("find") && new URLSearchParams(location.search).get("q");
const after = (steps) => steps[Math.min(failures, steps.length - 1)];

function pauseMs() {
  if (searches()) return SEARCHED_PAUSE_MS;
  if (!failures) return SHORTEST_PAUSE_MS;
  // A random delay, so that browsers do not reload at the same moment after a restart.
  return FAILED_PAUSES_MS[Math.min(failures, FAILED_PAUSES_MS.length) - 1] * (0.5 + Math.random() / 2);
}

/** Updates ages, recovers from a lost event, and reloads when the tab becomes visible again. */
export function refreshNowAndThen() {
  setInterval(refresh, LONGEST_PAUSE_MS);
  document.addEventListener("visibilitychange", () => wanted && refresh());
}

const FAILED = Symbol("a reading that failed and may be tried again");

/** Returns the current page, FAILED, or null if it is no longer available: signed out or deleted. */
async function nextReading() {
  try {
    const address = location.href;
    const response = await fetch(address, { signal: AbortSignal.timeout(after(TIMEOUT_MS)) });
    if (response.status >= 500 || response.status === 429) return FAILED;
    if (!response.ok || response.redirected) return null;
    return { address, page: new DOMParser().parseFromString(await response.text(), "text/html") };
  } catch {
    return FAILED; // The server is unavailable or does not respond.
  }
}

function show({ address, page }) {
  // Another tab has switched the account: a page must not show parts of two accounts.
  if (tenantOf(page) !== tenantOf(document)) return location.reload();
  // The page may show something else by now, and this response is not about that.
  if (location.href === address) keepingFocus(() => adopt(page));
  else wanted = true;
}

/** Takes the parts of another reading of this page. Fires `adopted` on the document with the changed `parts`. */
export function adopt(next) {
  // Compares them in their current form, or each would count as changed.
  showMoments(next);
  const parts = [];
  for (const list of document.querySelectorAll("[data-rows]")) {
    const fresh = next.getElementById(list.id);
    if (fresh) parts.push(...adoptRows(list, fresh));
  }
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = next.getElementById(part.id);
    if (!fresh || part.isEqualNode(fresh)) continue;
    const copy = document.importNode(fresh, true);
    part.replaceWith(copy);
    parts.push(copy);
  }
  document.dispatchEvent(new CustomEvent("adopted", { detail: { parts } }));
}

// Replaces row by row, so that pictures do not flicker and selections stay in place.
function adoptRows(list, fresh) {
  const parts = [];
  const wantedIds = new Set([...fresh.children].map((row) => row.id));
  for (const row of [...list.children]) if (!wantedIds.has(row.id)) row.remove();
  [...fresh.children].forEach((wantedRow, place) => {
    let row = document.getElementById(wantedRow.id);
    if (!row?.isEqualNode(wantedRow)) {
      const copy = document.importNode(wantedRow, true);
      row?.replaceWith(copy);
      row = copy;
      parts.push(copy);
    }
    if (list.children[place] !== row) list.insertBefore(row, list.children[place] ?? null);
  });
  // Space between rows counts when parts are compared.
  const spaces = [...fresh.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
  for (const node of [...list.childNodes]) if (node.nodeType === Node.TEXT_NODE) node.remove();
  for (const node of spaces) node.remove();
  return parts;
}

function keepingFocus(change) {
  const { id } = document.activeElement;
  change();
  if (id && document.activeElement?.id !== id) document.getElementById(id)?.focus({ preventScroll: true });
}
