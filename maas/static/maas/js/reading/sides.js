// On a phone, shows either the picture or the text, as chosen by two buttons. The choice stays from page to page.
import { onLeaf } from "./leaf.js";

export function watchSides() {
  const reader = document.getElementById("reader");
  if (!reader) return;
  reader.classList.add("one-side");
  onLeaf(showSide);
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-side-of]");
    if (button) turnTo(button.dataset.sideOf);
  });
}

/** Shows the picture or the words, where only one of them fits. */
export function turnTo(side) {
  document.getElementById("reader").dataset.side = side;
  showSide();
}

function showSide() {
  const { side } = document.getElementById("reader").dataset;
  const buttons = document.querySelectorAll("[data-side-of]");
  for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.sideOf === side));
  const group = document.querySelector(".sides");
  if (group) group.hidden = false;
  // The zoom depends on the size of the picture, which is none while it is hidden.
  dispatchEvent(new Event("resize"));
}
