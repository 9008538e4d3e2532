// Loads new requests every two seconds while the tab is visible and scrolled to the top.
/* global htmx */
import { watchCopies } from "./copy.js";

const EVERY_MS = 2_000;
const SCROLLED_PX = 120;

const state = document.getElementById("live-state");
const pause = document.getElementById("pause");
const narrow = matchMedia("(max-width: 68rem)");
let chosen = null;

const paused = () => pause.getAttribute("aria-pressed") === "true";
const reading = () => scrollY > SCROLLED_PX || !getSelection().isCollapsed;

function tell() {
  const now = paused() ? "paused" : reading() ? "reading" : "live";
  if (state.dataset.state === now) return;
  state.dataset.state = now;
  state.textContent = state.dataset[`${now}Words`];
}

function look() {
  if (state.dataset.state === "away") delete state.dataset.state;
  tell();
  if (!document.hidden && state.dataset.state === "live") htmx.trigger("#entries", "look");
}

function watchPause() {
  state.hidden = pause.hidden = false;
  pause.addEventListener("click", () => {
    pause.setAttribute("aria-pressed", String(!paused()));
    pause.textContent = paused() ? "Resume" : "Pause";
    look();
  });
  document.addEventListener("scroll", tell, { passive: true });
  document.addEventListener("selectionchange", tell);
  document.addEventListener("visibilitychange", look);
  setInterval(look, EVERY_MS);
  tell();
}

function mark() {
  for (const link of document.querySelectorAll(".entry[aria-current]")) link.removeAttribute("aria-current");
  document.getElementById(`entry-${chosen}`)?.setAttribute("aria-current", "true");
}

function watchEntries() {
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt } = event.detail;
    // If there is no space beside the list, a request has its own page.
    if (!elt.matches(".entry") || !narrow.matches) return;
    event.preventDefault();
    location.assign(elt.href);
  });
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target.id === "detail") chosen = detail.target.querySelector("[data-entry]")?.dataset.entry;
    mark();
  });
}

// Stops errors before they reach the document, where each would show a notice: one every two seconds.
function watchConnection() {
  document.body.addEventListener("htmx:sendError", (event) => {
    if (event.detail.elt.id !== "entries") return;
    event.stopPropagation();
    state.dataset.state = "away";
    state.textContent = state.dataset.awayWords;
  });
}

watchCopies();
if (pause) {
  watchConnection();
  watchPause();
  watchEntries();
}
