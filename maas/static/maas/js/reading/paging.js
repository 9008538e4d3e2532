// Moves from page to page by keys, by the strip, and by links with a hash.
import { adopt } from "../refresh.js";
import { isOfLeaf, leaf, onLeaf, reveal, typing } from "./leaf.js";

const HASH = /^#page-(\d+)$/;

export function watchPaging() {
  followHash();
  addEventListener("hashchange", followHash);
  document.addEventListener("keydown", pressed);
  // The response is a whole page, so the strip and the facts are updated from it too. This happens after the swap, because
  // htmx reads from the followed link what to take, and that link may disappear with the strip.
  document.addEventListener("htmx:afterSwap", (event) => {
    if (isOfLeaf(event)) adopt(new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html"));
  });
  // htmx must process links that were added after it read the page.
  document.addEventListener("adopted", ({ detail }) => {
    for (const part of detail.parts) if (part.closest("#reader")) window.htmx.process(part);
  });
  let before = leaf()?.dataset.number;
  onLeaf((page) => {
    const { number, last, state } = page.dataset;
    markHere();
    if (number !== before) document.getElementById("said").textContent = `Page ${number} of ${last}, ${state}`;
    before = number;
    const field = document.getElementById("go");
    if (field) field.value = number;
    lookAhead(page);
  });
}

function followHash() {
  const number = HASH.exec(location.hash)?.[1];
  if (number) location.replace(`${location.pathname}?page=${number}`);
}

function pressed(event) {
  if (typing(event) || !leaf()) return;
  const link = wayOf(event);
  if (!link) return;
  event.preventDefault();
  link.click();
}

function wayOf({ key, target }) {
  // If the picture is wider than its box, arrow keys move the picture.
  const stage = target.closest("#stage");
  const pans = stage && stage.scrollWidth > stage.clientWidth + 1;
  const { number, last } = leaf().dataset;
  if (target.closest('[role="tab"]')) return null;
  if (key === "PageUp" || (key === "ArrowLeft" && !pans)) return document.querySelector("a#previous");
  if (key === "PageDown" || (key === "ArrowRight" && !pans)) return document.querySelector("a#next");
  if (key === "Home" && number !== "1") return linkTo(1);
  if (key === "End" && number !== last) return linkTo(last);
  return null;
}

// The first and last pages are not always in the strip.
function linkTo(number) {
  const form = document.querySelector("#strip form");
  if (!form) return null;
  return { click: () => ((form.page.value = number), form.requestSubmit()) };
}

function markHere() {
  const here = document.querySelector('#strip-rows [aria-current="page"]');
  reveal(here?.closest("li"), document.getElementById("strip-rows"));
}

// The next page's picture is probably needed soon.
function lookAhead(page) {
  const next = document.querySelector(`#thumb-${Number(page.dataset.number) + 1} img`);
  if (next) new Image().src = next.getAttribute("src");
}
