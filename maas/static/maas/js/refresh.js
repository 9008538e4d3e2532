// Reads this page again and swaps in what has changed, so that a page is worded in one place: on the server.
import { tenantOf } from "./requests.js";
import { showMoments } from "./times.js";

const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
// To search once more for every event of a busy account would cost the server far more than it tells the person.
const SEARCHED_PAUSE_MS = 10_000;

// What failed is tried again before a person wonders; whoever is slow gets longer to answer the next time.
const FAILED_PAUSES_MS = [1_000, 2_000, 5_000];
const TIMEOUT_MS = [3_000, 10_000, 30_000];

let running = false;
let wanted = false;
let failures = 0;

/** Many calls at once become one reading now and one after it. */
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
  // Not all browsers at the same moment, when a server comes back.
  return FAILED_PAUSES_MS[Math.min(failures, FAILED_PAUSES_MS.length) - 1] * (0.5 + Math.random() / 2);
}

/** Keeps ages true, makes up for a lost event, and catches up when the tab is looked at again. */
export function refreshNowAndThen() {
  setInterval(refresh, LONGEST_PAUSE_MS);
  document.addEventListener("visibilitychange", () => wanted && refresh());
}

const FAILED = Symbol("a reading that failed and may be tried again");

/** The page as it is now, FAILED, or null where it can be had no more: signed out, or no longer there. */
async function nextReading() {
  try {
    const address = location.href;
    const response = await fetch(address, { signal: AbortSignal.timeout(after(TIMEOUT_MS)) });
    if (response.status >= 500 || response.status === 429) return FAILED;
    if (!response.ok || response.redirected) return null;
    return { address, page: new DOMParser().parseFromString(await response.text(), "text/html") };
  } catch {
    return FAILED; // The server is away for the moment, or does not answer.
  }
}

function show({ address, page }) {
  // Another tab has switched: parts of two accounts must not stand on one page.
  if (tenantOf(page) !== tenantOf(document)) return location.reload();
  // Meanwhile the page may have come to show something else; what was read is not about that.
  if (location.href === address) keepingFocus(() => adopt(page));
  else wanted = true;
}

/** From another reading of this page. Tells `adopted` on the document, with `parts`: what is new in it. */
export function adopt(next) {
  // As they stand here: else each would count as changed.
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

// Row by row, so that pictures do not flicker and what is selected or read aloud stays in place.
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
  // Spaces between rows count when the parts around them are compared.
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
