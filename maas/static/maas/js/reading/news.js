// Pages appear as they finish. The open page stays unchanged unless it has changed itself.
import { followEvents } from "../events.js";
import { refresh, refreshNowAndThen } from "../refresh.js";
import { leaf } from "./leaf.js";

export function watchNews() {
  document.addEventListener("adopted", readLeafAgain);
  refreshNowAndThen();
  followEvents(refresh);
}

function readLeafAgain() {
  const wanted = document.getElementById("job")?.dataset.page;
  const [number] = wanted?.split("-") ?? [];
  if (wanted === leaf().dataset.version || number !== leaf().dataset.number) return;
  window.htmx.ajax("GET", location.href, { target: "#leaf", select: "#leaf", swap: "outerHTML" });
}
