// The form of the playground: its values, and messages beside the fields.
import { sizeWords } from "./sizes.js";

const form = document.getElementById("call");
const playground = document.getElementById("playground");
const preview = document.getElementById("preview");
const PICTURES = ["image/png", "image/jpeg", "image/webp"];
const OF_THE_INPUT = /^(input_|document_|text_|image_|page_too|too_many_pages|unsupported_type|invalid_tensor)/;

let file = null;
let sample = false;

/** Returns the input's `kind` and `value`, the file, and the changed parameters. */
export function readForm() {
  const kind = form.elements.kind.value;
  return { model: playground.dataset.model, kind, value: valueOf(kind), file, sample: sample && kind === "document", parameters: changedParameters(), priority: form.elements.priority.value };
}

/** Calls `changed` after every change of the result of `readForm`. */
export function onChange(changed) {
  form.addEventListener("input", changed);
  form.addEventListener("chosen", changed);
}

export function watchForm() {
  for (const choice of form.querySelectorAll("input[name=kind]")) choice.addEventListener("change", showKind);
  form.addEventListener("input", ({ target }) => clearRefusal(target));
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!document.getElementById("run").disabled) form.requestSubmit();
  });
  // The browser may restore the chosen values when the page is loaded again.
  showKind();
  watchFiles();
}

/** Shows an error beside its field. Returns false if it belongs to no field. */
export function showRefusal({ code, detail }) {
  const named = code === "invalid_parameter" && detail.match(/'([^']*)'/)?.[1];
  const field = named && form.querySelector(`[data-parameter="${CSS.escape(named)}"]`);
  if (field) {
    refuse(field, document.getElementById(`error-${named}`), detail);
    return true;
  }
  if (!OF_THE_INPUT.test(code ?? "")) return false;
  refuse(inputField(), document.getElementById("input-error"), detail);
  return true;
}

export function clearRefusals() {
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  for (const words of form.querySelectorAll(".error")) words.hidden = true;
}

function clearRefusal(field) {
  field.removeAttribute("aria-invalid");
  const words = field.dataset.parameter ? `error-${field.dataset.parameter}` : "input-error";
  document.getElementById(words).hidden = true;
}

function refuse(field, place, words) {
  field.setAttribute("aria-invalid", "true");
  place.textContent = words;
  place.hidden = false;
  field.focus();
}

const inputField = () => (form.elements.kind.value === "tensors" && form.querySelector("[data-tensor]")) || document.getElementById({ document: "file" }[form.elements.kind.value] ?? form.elements.kind.value);

function valueOf(kind) {
  if (kind === "document") return file?.name ?? "";
  const written = document.getElementById(kind).value;
  return kind === "texts" ? written.split("\n").filter((line) => line.trim()) : written;
}

function changedParameters() {
  const changed = {};
  for (const field of form.querySelectorAll("[data-parameter]")) {
    const value = parameterOf(field);
    if (value !== undefined && JSON.stringify(value) !== field.dataset.default) changed[field.dataset.parameter] = value;
  }
  return changed;
}

// Invalid numbers are sent as typed, so that the server's error describes them.
function parameterOf(field) {
  if (field.dataset.type === "boolean") return field.checked;
  const typed = field.value.trim();
  if (typed === "") return undefined;
  return Number.isFinite(Number(typed)) ? Number(typed) : typed;
}

function showKind() {
  const kind = form.elements.kind.value;
  for (const part of form.querySelectorAll("[data-kind]")) {
    part.hidden = part.dataset.kind !== kind;
    const cost = document.getElementById("cost-words");
    if (!part.hidden && cost) cost.textContent = part.dataset.cost;
  }
  clearRefusals();
}

function watchFiles() {
  watchDrops(document.getElementById("drop"));
  const chooser = document.getElementById("file");
  if (!chooser) return;
  chooser.addEventListener("change", () => chooser.files.length && choose(chooser.files[0]));
  document.getElementById("sample").addEventListener("click", chooseSample);
  choose(null);
}

function watchDrops(drop) {
  const holdsFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
  // A file dropped beside the form must not replace the page.
  document.addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    drop?.classList.add("over");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) drop?.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    if (!drop) return;
    drop.classList.remove("over");
    const choice = form.querySelector("input[type=radio][value=document]");
    if (choice) choice.checked = true;
    showKind();
    choose(event.dataTransfer.files[0]);
  });
}

async function chooseSample({ currentTarget: button }) {
  button.disabled = true;
  const words = button.textContent;
  button.textContent = "Loading the sample …";
  try {
    const answer = await fetch(button.dataset.from);
    if (!answer.ok) throw new Error();
    choose(new File([await answer.blob()], "sample-scan.jpg", { type: "image/jpeg" }), true);
  } catch {
    showRefusal({ code: "document_sample", detail: "The sample could not be loaded. Try again or choose a file." });
  } finally {
    button.textContent = words;
    button.disabled = false;
  }
}

function choose(chosen, isSample = false) {
  file = chosen;
  sample = isSample;
  clearRefusals();
  document.getElementById("file").value = "";
  if (chosen) document.getElementById("chosen").textContent = `${chosen.name} (${sizeWords(chosen.size)})`;
  showPreview(chosen);
  const most = Number(playground.dataset.mostBytes);
  if (chosen?.size > most) {
    showRefusal({ code: "document_size", detail: `This file is too large: ${sizeWords(chosen.size)}. The limit is ${sizeWords(most)}.` });
  }
  form.dispatchEvent(new Event("chosen"));
}

function showPreview(chosen) {
  URL.revokeObjectURL(preview.src);
  preview.hidden = !PICTURES.includes(chosen?.type);
  if (preview.hidden) preview.removeAttribute("src");
  else preview.src = URL.createObjectURL(chosen);
  preview.alt = preview.hidden ? "" : `Preview of ${chosen.name}`;
}
