// Moves from tab to tab by the arrow keys. A tab is a link, which the server answers.

export function watchTabs() {
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
    goals[event.key].focus();
    goals[event.key].click();
  });
}
