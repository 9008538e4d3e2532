// Adds a field that was missed: its name, and its value as typed or as the line that is clicked in the picture has it.
import { putJson } from "../requests.js";
import { save } from "./corrections.js";
import { leaf, onLeaf } from "./leaf.js";

let box = null;

export function watchMissedFields() {
  onLeaf(() => choosing(false));
  document.addEventListener("focusin", ({ target }) => {
    if (target.closest("#add-field")) choosing(true);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target.closest("#add-field")) choosing(false);
  });
  document.addEventListener("pinned", ({ detail }) => taken(detail.number));
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("#add-field");
    if (!form) return;
    event.preventDefault();
    add(form);
  });
}

const form = () => document.getElementById("add-field");

/** Shows the lines of the picture, so that one can be chosen. */
function choosing(on) {
  box = null;
  leaf().classList.toggle("adding-field", on);
}

function taken(number) {
  const shape = /^\d+$/.test(number ?? "") && leaf().querySelector(`polygon[data-line="${number}"]`);
  if (!shape || !form()) return;
  form().elements.value.value = shape.textContent.replace(/^Confidence \d+ %: /, "").trim();
  box = shape.getAttribute("points").trim().split(/\s+/).map((point) => point.split(",").map(Number));
  form().elements.value.focus();
  form().elements.value.select();
}

async function add({ dataset, elements }) {
  const body = { value: elements.value.value, page: Number(dataset.page), ...(box && { box }) };
  const title = elements.name.selectedOptions[0].textContent;
  await save(() => putJson(`${dataset.fields}${elements.name.value}`, body), "Added", title);
}
