// Moves from tab to tab by the arrow keys. A tab is a link, which the server answers.
import { onLeaf } from "./leaf.js";

let moved = null;

export function watchTabs() {
  // The focus is lost where a tab is replaced before it was focused in the part that is shown.
  onLeaf(() => {
    const tab = moved && document.getElementById(moved);
    if (tab?.ariaSelected !== "true") return;
    moved = null;
    requestAnimationFrame(() => document.activeElement === document.body && tab.focus({ preventScroll: true }));
  });
  document.addEventListener("keydown", (event) => {
    const tab = event.target.closest?.('[role="tab"]');
    if (!tab || event.ctrlKey || event.metaKey || event.altKey) return;
    const tabs = [...tab.closest('[role="tablist"]').querySelectorAll('[role="tab"]')];
    const place = tabs.indexOf(tab);
    const goals = {
      ArrowLeft: tabs.at(place - 1),
      ArrowRight: tabs[(place + 1) % tabs.length],
      Home: tabs[0],
      End: tabs.at(-1),
      " ": tab,
    };
    if (!(event.key in goals)) return;
    event.preventDefault();
    moved = goals[event.key].id;
    goals[event.key].focus();
    goals[event.key].click();
  });
}
