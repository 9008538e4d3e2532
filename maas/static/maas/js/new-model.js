// Entry of the page that adds a model: sends a file, a URL or a pipeline, and shows how its checks go.
import { forget } from "./begun.js";
import { watchPipeline, members } from "./new-pipeline.js";
import { get } from "./requests.js";
import { isLarge, sendLargeModel } from "./resumable.js";
import { transfer } from "./transfers.js";

const LOOK_EVERY_MS = 1_000;
// Like the server's sizes and limits of models, which are decimal.
const sizeWords = (bytes) => (bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
const form = document.querySelector("#new-model");

if (form) watchForm();

function watchForm() {
  const file = form.querySelector("#file");
  const drop = form.querySelector("#drop");
  for (const choice of form.querySelectorAll("[name=source]")) choice.addEventListener("change", showSource);
  // A browser that goes back to this page fills in what was typed after the scripts have run.
  addEventListener("pageshow", showSource);
  file.addEventListener("change", () => choose(file.files[0]));
  for (const type of ["dragover", "dragleave", "drop"]) drop.addEventListener(type, (event) => dragged(event, drop, file));
  form.elements.url.addEventListener("change", () => suggestName(form.elements.url.value.split(/[?#]/)[0].split("/").pop()));
  watchPipeline(form, suggestName);
  form.addEventListener("input", () => { form.querySelector("#refusal").hidden = true; });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  // The page disables the button, because the browser would send the form itself before this script listens.
  form.querySelector("#send").disabled = false;
}

function showSource() {
  const chosen = form.querySelector("[name=source]:checked");
  for (const part of form.querySelectorAll("[data-source]")) {
    part.hidden = part.disabled = part.dataset.source !== chosen.value;
  }
  form.querySelector("#send").textContent = chosen.dataset.button;
  form.querySelector("#refusal").hidden = true;
}

function dragged(event, drop, file) {
  event.preventDefault();
  drop.classList.toggle("over", event.type === "dragover");
  if (event.type !== "drop" || !event.dataTransfer.files.length) return;
  file.files = event.dataTransfer.files;
  choose(file.files[0]);
}

function choose(file) {
  form.querySelector("#refusal").hidden = true;
  form.querySelector("#chosen").textContent = file ? `${file.name}, ${sizeWords(file.size)}` : "";
  if (file) suggestName(file.name);
}

function suggestName(fileName) {
  const name = form.elements.name;
  const suggested = fileName.replace(/\.(onnx|json)$/i, "").replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^[-_]+/, "");
  if (!name.value) name.value = suggested.slice(0, name.maxLength);
}

const SENDERS = { file: sendFile, url: sendUrl, pipeline: sendPipeline };

async function send() {
  form.querySelector("#refusal").hidden = true;
  form.querySelector("#send").disabled = true;
  const body = new FormData();
  for (const name of ["name", "license", "description"]) body.append(name, form.elements[name].value);
  try {
    const made = await SENDERS[form.elements.source.value](body);
    await checked(made.url);
    location.assign(`${form.dataset.page}${encodeURIComponent(made.model)}/versions/${made.version}`);
  } catch (error) {
    refuse(error.message);
  }
}

function refuse(message) {
  const problem = form.querySelector("#refusal");
  problem.textContent = message;
  problem.hidden = false;
  form.querySelector("#send").disabled = false;
  form.querySelector("#progress").hidden = true;
}

function show(stage, share) {
  const progress = form.querySelector("#progress");
  progress.hidden = false;
  const bar = progress.querySelector("progress");
  if (share === null) bar.removeAttribute("value");
  else bar.value = share;
  progress.querySelector("#stage").textContent = stage;
}

async function sendFile(body) {
  const file = form.elements.file.files[0];
  if (file.size > Number(form.dataset.mostBytes)) {
    throw new Error(`The file has ${sizeWords(file.size)}. Models of this account may have ${form.dataset.mostSize}.`);
  }
  const onSent = (bytes) => showSent(Math.min(bytes, file.size), file.size);
  show("Uploading …", 0);
  if (!isLarge(file)) {
    body.append("file", file);
    return create(body, onSent);
  }
  // A large file is sent in pieces first, and continues after a lost connection or a reload.
  const { signal } = new AbortController();
  const sent = await sendLargeModel("/v1/uploads", file, { onSent, onPause: (words) => show(words, null), signal });
  showSent(file.size, file.size);
  body.append("upload", sent.id);
  try {
    const made = await create(body);
    forget(sent.id);
    return made;
  } catch (error) {
    if (error.code === "upload_used") forget(sent.id);
    throw error;
  }
}

function sendUrl(body) {
  body.append("url", form.elements.url.value.trim());
  show("Fetching the file …", null);
  return create(body);
}

function sendPipeline(body) {
  // The text as it was typed: the server names the place of a mistake in it.
  body.append("pipeline", form.elements.pipeline.value);
  body.append("members", JSON.stringify(members(form)));
  show("Sending …", null);
  return create(body);
}

async function create(body, onSent = () => {}) {
  const { signal } = new AbortController();
  return (await transfer("POST", form.dataset.models, body, { onSent, signal })).response;
}

function showSent(loaded, total) {
  if (loaded === total) show("Uploaded. Storing the file …", null);
  else show(`Uploading … ${sizeWords(loaded)} of ${sizeWords(total)}`, loaded / total);
}

// Returns when the version is ready or refused: its page says why. A lost connection only delays the next look.
async function checked(url) {
  for (;;) {
    const version = await get(url).catch((error) => {
      if (error.status) throw error;
      return { state: "validating", progress: { stage: "connection lost, trying again" } };
    });
    if (version.state !== "validating") return;
    const stage = version.progress?.stage;
    show(stage ? `Checking: ${stage}` : "Waiting for a worker …", null);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
