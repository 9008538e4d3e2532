// Entry of the pages of own models: shows the results of work, and looks up moments in the reader's zone.
import { isAnythingTyped } from "./typed.js";

const moment = document.querySelector("#moment");
const ended = document.querySelector("#work-ended");

if (moment) watchMoment();
if (ended) watchWork();

// What work has changed is all over the page, so that it is loaded again, unless that would lose what was typed.
function watchWork() {
  let shown = underWay();
  document.addEventListener("htmx:afterSwap", () => {
    const now = underWay();
    const notices = [...shown].filter(([id]) => !now.has(id)).map(([, notice]) => notice);
    shown = now;
    if (notices.length) showEnded(notices);
  });
}

/** Returns the work that the page shows: what to say when it has ended, by its id. */
function underWay() {
  const works = [...document.querySelectorAll("[data-work]")];
  return new Map(works.map(({ dataset }) => [dataset.work, dataset.ended]));
}

function showEnded(notices) {
  const link = ended.querySelector("a");
  if (ended.hidden && !isAnythingTyped(document.querySelector("main"))) return location.assign(link.href);
  const text = ended.querySelector("span");
  text.textContent = [...new Set([text.textContent, ...notices].filter(Boolean))].join(" ");
  ended.hidden = false;
}

function watchMoment() {
  const { at, offset } = moment.elements;
  moment.querySelector("#zone").textContent = "(your time)";
  moment.addEventListener("submit", () => (offset.value = new Date(at.value).getTimezoneOffset()));
}
