// Corrects a line, a cell, a field or the class of the page in place, and undoes corrections. Enter saves, Escape cancels.
import { say } from "../notices.js";
import { putJson, remove } from "../requests.js";
import { leaf, onLeaf, readWordsAgain, typing } from "./leaf.js";

let pinned = null;
let refusal = null; // The notice of the last change that was refused.

export function watchCorrections() {
  document.addEventListener("pinned", ({ detail }) => showTools(detail.number));
  onLeaf(() => showTools(null));
  document.addEventListener("click", ({ target }) => {
    const undo = target.closest("[data-undo]");
    const kind = target.closest("[data-correct-class]");
    if (undo) save(() => remove(undo.dataset.undo), "Undone");
    else if (kind) changeClass(kind);
    else if (target.closest("#edit-line")) edit(lineOf(pinned));
    else if (target.closest("#confirm-line")) save(() => putJson(addressOf(pinned), bodyOf(pinned, textOf(lineOf(pinned)))), "Confirmed");
    else if (target.closest("#remove-field")) save(() => putJson(addressOf(pinned), bodyOf(pinned, null)), "Removed");
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "e" || typing(event) || !lineOf(pinned) || !tools()) return;
    event.preventDefault();
    edit(lineOf(pinned));
  });
}

async function changeClass({ dataset }) {
  let learned;
  const change = async () => ({ learned } = await putJson(dataset.at ?? classAddress(), { label: dataset.correctClass }));
  if (!(await save(change, "Class changed")) || !learned) return;
  if (learned.version) say(`${learned.class_set} was trained again as version ${learned.version.split("@")[1]}.`, "good");
  else say(`The class was changed. ${learned.class_set} was not trained again: ${learned.reason}`, "wait");
}

const tools = () => document.getElementById("tools");
const lineOf = (number) => (number ? document.querySelector(`:is(#lines, #tables, #fields) [data-line="${number}"]`) : null);
const textOf = (line) => line.querySelector(".text").textContent;
const addressOf = (number) => lineOf(number).dataset.url ?? `${tools().dataset.lines}${Number(number) - 1}`;

/** The body of a request: the text, and the position of a value where a field has several. */
function bodyOf(number, text) {
  const { key = "text", index } = lineOf(number).dataset;
  return { [key]: text, ...(index && { index: Number(index) }) };
}

const titleOf = (line) => line.dataset.title ?? `Line ${line.dataset.line}`;
const classAddress = () => `/v1/jobs/${document.getElementById("job").dataset.follow}/pages/${leaf().dataset.number}/class`;

function showTools(number) {
  pinned = number;
  if (!tools()) return;
  const line = lineOf(number);
  tools().hidden = !line;
  if (line) document.getElementById("tools-line").textContent = titleOf(line);
}

function edit(line) {
  if (!line || line.hidden || line.querySelector("form")) return;
  const number = line.dataset.line;
  const before = textOf(line);
  const form = document.createElement("form");
  form.className = "correcting";
  // An address has several lines. Enter saves them too, and Shift with Enter begins another.
  const field = document.createElement(before.includes("\n") ? "textarea" : "input");
  field.value = before;
  field.rows = before.split("\n").length;
  field.maxLength = 2_000;
  // A cell may be emptied, and what is typed in a grid is in a cell of it.
  const isCell = line.matches("th, td");
  field.required = !isCell || line.dataset.key === "value";
  field.dir = "auto";
  field.setAttribute("aria-label", isCell ? `Text of ${titleOf(line)}` : `Text of line ${number}`);
  const button = document.createElement("button");
  button.className = "small";
  button.textContent = "Save";
  form.append(field, button);
  const shown = isCell ? line.querySelector(".text") : line;
  const close = () => {
    form.remove();
    shown.hidden = false;
    line.focus({ preventScroll: true });
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    const saved = await save(() => putJson(addressOf(number), bodyOf(number, field.value)), "Saved", titleOf(line));
    button.disabled = false;
    if (saved) lineOf(number)?.focus({ preventScroll: true });
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && field.matches("textarea") && !event.shiftKey) {
      event.preventDefault();
      form.requestSubmit();
    }
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  });
  shown.hidden = true;
  shown.after(form);
  field.focus();
}

/** The message of the API without its names of parameters. */
const plain = (message, title) => message.replace(/^`(text|value)`/, () => title).replaceAll("`", "");

/** Returns whether the change was saved, and by then shows it. `title` is what a refusal calls the text or value. */
export async function save(change, words, title = "The value") {
  refusal?.remove();
  try {
    await change();
  } catch (error) {
    refusal = say(plain(error.message, title), "bad");
    return false;
  }
  await readWordsAgain();
  document.getElementById("said").textContent = words;
  document.dispatchEvent(new CustomEvent("corrected"));
  return true;
}
