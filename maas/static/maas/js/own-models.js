// Entry of the pages of own models: uploads a file, shows how its checks go, and looks again while work is under way.
import { get, pageHeaders, refusal, unreachable } from "./requests.js";

const LOOK_EVERY_MS = 1_500;
const form = document.querySelector("#new-model");

if (form) watchForm();
if (document.querySelector("#busy")) setTimeout(() => location.reload(), 3 * LOOK_EVERY_MS);

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
  form.querySelector("#chosen").textContent = file ? `${file.name}, ${(file.size / 1e6).toFixed(1)} MB` : "";
  const name = form.querySelector("#name");
  if (file && !name.value) name.value = file.name.replace(/\.onnx$/i, "").replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^[-_]+/, "");
}

async function send(file) {
  const problem = form.querySelector("#refusal");
  problem.hidden = true;
  if (file.size > Number(form.dataset.mostBytes)) return refuse(`The file has ${(file.size / 1e6).toFixed(0)} MB, more than your account may upload.`);
  form.querySelector("#send").disabled = true;
  try {
    const made = await upload();
    await checked(made.url);
    location.assign(form.dataset.page + encodeURIComponent(made.model));
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

// Of all requests, only XMLHttpRequest tells how much was sent.
function upload() {
  const body = new FormData();
  for (const name of ["name", "license", "description"]) body.append(name, form.elements[name].value);
  body.append("file", form.elements.file.files[0]);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.dataset.models);
    for (const [name, value] of Object.entries(pageHeaders())) request.setRequestHeader(name, value);
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => show("Uploading", total ? loaded / total : null);
    request.onerror = () => reject(unreachable());
    request.onload = () => (request.status === 202 ? resolve(request.response) : reject(refusal(request.status, request.response ?? {})));
    request.send(body);
  });
}

// Returns when the version is ready or refused: its page says why.
async function checked(url) {
  for (;;) {
    const version = await get(url);
    if (version.state !== "validating") return;
    show(version.progress?.stage || "Waiting for a worker", null);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
