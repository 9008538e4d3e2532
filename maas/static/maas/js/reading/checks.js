// Leads from one place that a person should check to the next, across pages, by a button or the keys n and p.
import { say } from "../notices.js";
import { get } from "../requests.js";
import { leaf, onLeaf, openPage, typing } from "./leaf.js";
import { pin } from "./lines.js";

const WHOLE_PAGE = "page";

let places = [];
let more = false;
let at = -1;
let pending = null;
let seen = null;

export function watchChecks() {
  onLeaf(() => {
    showCount();
    if (pending?.page === openNumber()) point(pending);
  });
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-check]");
    if (button) walk(button.dataset.check === "next" ? 1 : -1);
  });
  document.addEventListener("keydown", (event) => {
    const step = { n: 1, p: -1 }[event.key];
    if (!step || typing(event) || !places.length) return;
    event.preventDefault();
    walk(step);
  });
  // Pages that have been read since may have places too.
  document.addEventListener("adopted", () => readPlaces());
  document.addEventListener("corrected", () => readPlaces(true));
  readPlaces();
}

const openNumber = () => Number(leaf().dataset.number);

async function readPlaces(again = false) {
  const { follow, seq } = document.getElementById("job").dataset;
  if (seq === seen && !again) return;
  seen = seq;
  try {
    const found = await get(`/jobs/${follow}/checks`);
    const before = places[at]; // The walk may have gone on meanwhile.
    ({ places, more } = found);
    at = before ? positionOf(before) : -1;
  } catch {
    seen = null; // The next change of the job reads them again.
  }
  showCount();
}

/** The position of a place, or the position before it if it is settled by now. */
function positionOf({ page, place }) {
  const same = places.findIndex((one) => one.page === page && one.place === place);
  if (same >= 0) return same;
  const after = places.findIndex((one) => one.page > page);
  return (after < 0 ? places.length : after) - 1;
}

function walk(step) {
  const next = at < 0 && step > 0 ? places.findIndex(({ page }) => page >= openNumber()) : at + step;
  if (next < 0 && step < 0) return;
  if (next < 0 || next >= places.length) return finish();
  at = next;
  const place = places[at];
  const shown = place.page === openNumber() && document.getElementById(`tab-${place.tab}`)?.ariaSelected !== "false";
  if (shown) return point(place);
  pending = place;
  openPage(`?page=${place.page}${place.tab === "text" ? "" : `&tab=${place.tab}`}`);
}

function point({ page, place }) {
  pending = null;
  pin(place === WHOLE_PAGE ? null : place, null);
  showCount();
  document.getElementById("said").textContent = `${at + 1} of ${places.length}: page ${page}, ${titleOf(place)}`;
}

function titleOf(place) {
  if (place === WHOLE_PAGE) return "the whole page";
  if (place.startsWith("w")) return "a warning";
  return document.getElementById(`line-${place}`)?.dataset.title ?? `line ${place}`;
}

function finish() {
  at = -1;
  pin(null);
  showCount();
  say(more ? "That was the last place in the first pages. Later pages were not looked through." : "That was the last place to check. Well done.", "good");
}

function showCount() {
  const group = document.querySelector("[data-checks]");
  if (!group) return;
  group.hidden = !places.length;
  const total = `${places.length}${more ? "+" : ""}`;
  group.querySelector("span").textContent = at < 0 ? `To check: ${total}` : `${at + 1} of ${total} · ${at + 1 < places.length ? "Next" : "Done"}`;
  group.querySelector('[data-check="previous"]').hidden = at < 0;
}
