// Entry of the pages of own models: uploads a file and shows how its checks go; looks up moments in the reader's zone.
import { forget } from "./begun.js";
import { get } from "./requests.js";
import { isLarge, sendLargeModel } from "./resumable.js";
import { transfer } from "./transfers.js";

const LOOK_EVERY_MS = 1_000;
// Like the server's sizes and limits of models, which are decimal.
const sizeWords = (bytes) => (bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
const form = document.querySelector("#new-model");
const moment = document.querySelector("#moment");

if (form) watchForm();
if (moment) watchMoment();

function watchForm() {
  const file = form.querySelector("#file");
  const drop = form.querySelector("#drop");
  file.addEventListener("change", () => choose(file.files[0]));
  for (const type of ["dragover", "dragleave", "drop"]) drop.addEventListener(type, (event) => dragged(event, drop, file));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(file.files[0]);
  });
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
  const name = form.querySelector("#name");
  if (file && !name.value) name.value = file.name.replace(/\.onnx$/i, "").replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^[-_]+/, "");
}

async function send(file) {
  form.querySelector("#refusal").hidden = true;
  if (file.size > Number(form.dataset.mostBytes)) {
    refuse(`The file has ${sizeWords(file.size)}. Models of this account may have ${form.dataset.mostSize}.`);
    return;
  }
  form.querySelector("#send").disabled = true;
  try {
    const made = await upload();
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

async function upload() {
  const file = form.elements.file.files[0];
  const body = new FormData();
  for (const name of ["name", "license", "description"]) body.append(name, form.elements[name].value);
  const onSent = (bytes) => showSent(Math.min(bytes, file.size), file.size);
  show("Uploading …", 0);
  const { signal } = new AbortController();
  if (!isLarge(file)) {
    body.append("file", file);
    return (await transfer("POST", form.dataset.models, body, { onSent, signal })).response;
  }
  // A large file is sent in pieces first, and continues after a lost connection or a reload.
  const sent = await sendLargeModel("/v1/uploads", file, { onSent, onPause: (words) => show(words, null), signal });
  showSent(file.size, file.size);
  body.append("upload", sent.id);
  try {
    const made = await transfer("POST", form.dataset.models, body, { onSent: () => {}, signal });
    forget(sent.id);
    return made.response;
  } catch (error) {
    if (error.code === "upload_used") forget(sent.id);
    throw error;
  }
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

function watchMoment() {
  const { at, offset } = moment.elements;
  moment.querySelector("#zone").textContent = "(your time)";
  moment.addEventListener("submit", () => (offset.value = new Date(at.value).getTimezoneOffset()));
}
