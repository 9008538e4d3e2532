// Points at the value of a field on the picture of a page: a click on a word, a drag over several, or a line of a list.

const FIRM_PX = 4;
const MARGIN_PX = 24;

// The policy of the pages forbids the styles that htmx would otherwise restore.
window.htmx.config.attributesToSettle = [];

const stage = document.getElementById("stage");
const picture = stage.querySelector("img");
const drawn = document.getElementById("drawn");
const lines = document.getElementById("of-lines");
const draw = document.getElementById("draw");

let chosen = null;

draw.addEventListener("change", () => stage.classList.toggle("drawn-on", draw.checked));
stage.addEventListener("pointerdown", begin);
lines.addEventListener("change", () => {
  if (lines.value) point(JSON.parse(lines.value));
});
document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id === "draft") showSeen();
});
showSeen();

/** Returns the place of an event in pixels of the picture. */
function placeOf({ clientX, clientY }) {
  const shown = picture.getBoundingClientRect();
  const scale = Number(picture.getAttribute("width")) / shown.width;
  const within = (value, most) => Math.min(most, Math.max(0, value));
  return [within((clientX - shown.left) * scale, shown.width * scale), within((clientY - shown.top) * scale, shown.height * scale)];
}

function begin(down) {
  if (down.button !== 0 || !down.target.closest(".sheet")) return;
  const from = placeOf(down);
  const byFinger = down.pointerType !== "mouse" && !draw.checked;
  let moved = false;
  const move = (event) => {
    moved ||= Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > FIRM_PX;
    if (moved && !byFinger) showDrawn(boxBetween(from, placeOf(event)));
  };
  const end = (event) => {
    for (const [name, listener] of listeners) removeEventListener(name, listener);
    drawn.toggleAttribute("hidden", true);
    // A finger that moves has scrolled, unless it was to draw.
    if (event.type === "pointercancel" || (moved && byFinger)) return;
    const box = moved ? boxBetween(from, placeOf(event)) : boxBetween(from, [from[0] + 1, from[1] + 1]);
    point(!moved && event.shiftKey && chosen ? around(chosen, box) : box);
  };
  const listeners = [["pointermove", move], ["pointerup", end], ["pointercancel", end]];
  for (const [name, listener] of listeners) addEventListener(name, listener);
  // The browser would otherwise begin to select text.
  if (!byFinger) down.preventDefault();
}

const boxBetween = ([x, y], [otherX, otherY]) => [Math.min(x, otherX), Math.min(y, otherY), Math.max(x, otherX), Math.max(y, otherY)];
const around = (one, other) => [0, 1, 2, 3].map((edge) => (edge < 2 ? Math.min : Math.max)(one[edge], other[edge]));

function showDrawn([left, top, right, bottom]) {
  const edges = { x: left, y: top, width: right - left, height: bottom - top };
  for (const [name, value] of Object.entries(edges)) drawn.setAttribute(name, value);
  drawn.toggleAttribute("hidden", false);
}

/** Asks what was read in the box, and shows the form for it. What was typed before stays. */
function point(box) {
  const rounded = JSON.stringify(box.map((edge) => Math.round(10 * edge) / 10));
  const typed = Object.fromEntries(["title", "name", "classes"].flatMap((name) => typedIn(name)));
  const values = { job: stage.dataset.job, page: stage.dataset.page, box: rounded, ...typed };
  window.htmx.ajax("POST", stage.dataset.url, { source: document.getElementById("draft"), target: "#draft", swap: "innerHTML", values });
}

function typedIn(name) {
  const field = document.querySelector(`#field-form [name="${name}"]`);
  return field && field.value !== field.defaultValue ? [[name, field.value]] : [];
}

function showSeen() {
  const seen = document.querySelector("#draft .seen");
  const corners = seen ? JSON.parse(seen.dataset.seen) : [];
  const label = seen?.dataset.label ? JSON.parse(seen.dataset.label) : [];
  document.getElementById("of-value").setAttribute("points", corners.map(String).join(" "));
  document.getElementById("of-label").setAttribute("points", label.map(String).join(" "));
  const [across, down] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  seen?.scrollIntoView({ block: "nearest" });
  chosen = seen ? [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)] : null;
  if (chosen) bringIntoView(chosen);
}

/** Scrolls the picture so far that a box on it can be seen. */
function bringIntoView([left, top, right, bottom]) {
  const shown = picture.getBoundingClientRect();
  const scale = shown.width / Number(picture.getAttribute("width"));
  const view = stage.getBoundingClientRect();
  const beyond = (start, end, from, to) => (start < from ? start - from - MARGIN_PX : end > to ? end - to + MARGIN_PX : 0);
  stage.scrollBy({
    left: beyond(shown.left + left * scale, shown.left + right * scale, view.left, view.right),
    top: beyond(shown.top + top * scale, shown.top + bottom * scale, view.top, view.bottom),
  });
}
