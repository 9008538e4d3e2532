// The selected jobs of the list: kept while rows are refreshed, cleared when the list changes.

const picked = new Map();
const boxes = () => [...document.querySelectorAll("#job-rows input[type=checkbox]")];
let last = null;

/** Ids in the order of selection. */
export const pickedIds = () => [...picked.keys()];

export function watchSelection() {
  document.addEventListener("click", ({ target, shiftKey }) => {
    if (target.id === "pick-all") pickMany(boxes(), target.checked);
    else if (target.closest("#pick-page")) pickMany(boxes(), true);
    else if (target.closest("#pick-none")) pickNone();
    else if (target.matches("#job-rows input[type=checkbox]")) pickUpTo(target, shiftKey);
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=checkbox]), select, textarea, dialog, details[open]");
    if (event.key !== "Escape" || typing || !picked.size) return;
    pickNone();
  });
  // A browser may restore checked boxes when going back.
  addEventListener("pageshow", showSelection);
  showSelection();
}

export function pickNone() {
  picked.clear();
  last = null;
  showSelection();
}

// With Shift, all rows between this box and the previous one follow.
function pickUpTo(box, shift) {
  const all = boxes();
  const [from, to] = [all.findIndex(({ id }) => id === last), all.indexOf(box)];
  const stretch = shift && from >= 0 ? all.slice(Math.min(from, to), Math.max(from, to) + 1) : [box];
  last = box.id;
  pickMany(stretch, box.checked);
}

function pickMany(some, wanted) {
  for (const { value } of some) {
    if (wanted) picked.set(value, true);
    else picked.delete(value);
  }
  showSelection();
}

/** Sets the check marks, also in rows that were just refreshed. */
export function showSelection() {
  const all = boxes();
  let here = 0;
  for (const box of all) {
    box.checked = picked.has(box.value);
    here += box.checked;
    box.closest("tr").classList.toggle("picked", box.checked);
  }
  const head = document.getElementById("pick-all");
  if (head) {
    head.checked = here > 0 && here === all.length;
    head.indeterminate = here > 0 && here < all.length;
  }
  showCount(picked.size - here);
  showAllowed(picked.size - here);
}

// Selected jobs on another page may allow it too, which is unknown here.
function showAllowed(elsewhere) {
  const rows = [...document.querySelectorAll("#job-rows tr.picked")];
  for (const words of document.querySelectorAll("#bulk [data-allowed]")) {
    const count = rows.filter(({ dataset }) => words.dataset.allowed in dataset).length;
    words.closest("button").disabled = !count && !elsewhere;
    words.textContent = count && !elsewhere ? `${words.dataset.words} ${count}` : words.dataset.words;
  }
}

function showCount(elsewhere) {
  const bar = document.getElementById("bulk");
  document.getElementById("pick-page").hidden = boxes().every(({ checked }) => checked);
  bar.hidden = !picked.size;
  document.body.classList.toggle("picking", picked.size > 0);
  document.getElementById("picked-count").textContent = `${picked.size} selected`;
  document.getElementById("picked-elsewhere").textContent = elsewhere ? `(${elsewhere} on other pages)` : "";
}
