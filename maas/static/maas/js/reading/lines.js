// Links lines and cells of the picture with those of the text: hovered, focused or pinned in one, marked in both.
import { leaf, onLeaf, reveal } from "./leaf.js";

let pinned = null;
let confidenceShown = false;

export function watchLines() {
  onLeaf((page) => {
    pin(null);
    markDoubts();
    showConfidence(page);
    showFind(page);
  });
  document.addEventListener("pointerover", ({ target }) => light(numberOf(target)));
  document.addEventListener("focusin", ({ target }) => focused(target));
  document.addEventListener("click", clicked);
  document.addEventListener("keydown", pressed);
  document.addEventListener("change", ({ target }) => {
    if (target.id !== "show-confidence") return;
    confidenceShown = target.checked;
    showConfidence(leaf());
  });
}

const numberOf = (element) => element.closest?.("#leaf [data-line]")?.dataset.line ?? null;
const option = (number) => document.getElementById(`line-${number}`);
const shape = (number) => leaf()?.querySelector(`polygon[data-line="${number}"]`);
const listOf = (line) => line.closest('[role="listbox"]');
const both = (number) => [option(number), shape(number)].filter(Boolean);

function showConfidence(page) {
  page.classList.toggle("with-confidence", confidenceShown);
  const box = page.querySelector("#show-confidence");
  if (box) box.checked = confidenceShown;
}

// A line that a person corrected since is no longer marked on the picture either.
function markDoubts() {
  for (const line of document.querySelectorAll(":is(#lines, #tables, #fields) [data-line]"))
    shape(line.dataset.line)?.classList.toggle("unsure", line.classList.contains("unsure"));
}

// The position of the first search hit.
function showFind(page) {
  const mark = page.querySelector(".words mark");
  reveal(mark, page.querySelector(".words"));
  // The part beside or below the picture may lie outside of a small window itself.
  mark?.scrollIntoView({ block: "nearest", behavior: "instant" });
  if (mark && numberOf(mark)) reveal(shape(numberOf(mark)), document.getElementById("stage"));
}

/** Lights a line or cell in the text and on the picture, or nothing. */
export function light(number) {
  for (const lit of document.querySelectorAll("#leaf .lit")) if (lit.dataset.line !== number) lit.classList.remove("lit");
  if (number) for (const element of both(number)) element.classList.add("lit");
}

function focused(target) {
  if (target.getAttribute("role") !== "option") return;
  for (const line of listOf(target).querySelectorAll('[tabindex="0"]')) line.tabIndex = -1;
  target.tabIndex = 0;
  light(numberOf(target));
  reveal(shape(numberOf(target)), document.getElementById("stage"));
}

function clicked({ target, detail }) {
  const number = numberOf(target);
  if (!number || target.closest("form") || document.querySelector("#stage.panned")) return;
  // Text just selected with the mouse is to be copied, not pinned.
  const marking = target.closest("#lines, #tables, #fields") && detail > 0 && !getSelection().isCollapsed;
  if (!marking) pin(pinned === number ? null : number, target);
}

/** Marks a line or warning, and brings it into view where it is not. Without a number it marks nothing. */
export function pin(number, from) {
  for (const element of document.querySelectorAll("#leaf .pinned")) element.classList.remove("pinned");
  const before = '#words [data-line]:is([aria-selected="true"], [aria-pressed="true"])';
  for (const chosen of document.querySelectorAll(before)) choose(chosen, false);
  pinned = number;
  document.dispatchEvent(new CustomEvent("pinned", { detail: { number } }));
  if (!number) return;
  for (const element of both(number)) element.classList.add("pinned");
  if (option(number)) choose(option(number), true);
  if (!from?.closest("#words")) reveal(option(number), leaf().querySelector(".words"));
  if (!from?.closest("#stage")) reveal(shape(number), document.getElementById("stage"));
}

function choose(element, chosen) {
  element.setAttribute(element.hasAttribute("aria-selected") ? "aria-selected" : "aria-pressed", String(chosen));
}

function pressed(event) {
  const line = event.target.closest?.('[role="option"]');
  if (event.key === "Escape" && pinned) pin(null);
  if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
  const lines = [...listOf(line).querySelectorAll('[role="option"]')];
  const place = lines.indexOf(line);
  const goals = { ArrowDown: lines[place + 1], ArrowUp: lines[place - 1], Home: lines[0], End: lines.at(-1) };
  if (event.key in goals) goals[event.key]?.focus();
  else if (event.key === "Enter" || event.key === " ") pin(pinned === numberOf(line) ? null : numberOf(line), line);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}
