// Sends the chosen or dropped files, one job for each, and says what became of each.
import { post } from "./requests.js";
import { refresh } from "./refresh.js";

export function watchUploads() {
  const form = document.getElementById("upload");
  if (!form?.file) return;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const files = [...form.file.files];
    form.file.value = "";
    await sendAll(form, files);
  });
  watchDrops(form);
}

function watchDrops(form) {
  const holdsFiles = (event) => event.dataTransfer?.types.includes("Files");
  // Anywhere on the page: a file dropped beside the form must not replace the page.
  document.addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    form.classList.add("over");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) form.classList.remove("over");
  });
  document.addEventListener("drop", async (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    form.classList.remove("over");
    await sendAll(form, [...event.dataTransfer.files]);
  });
}

async function sendAll(form, files) {
  const model = form.model.value;
  for (const file of files) {
    const line = document.createElement("li");
    document.getElementById("uploads").prepend(line);
    line.textContent = `${file.name}: sending …`;
    try {
      const job = await send(form, model, file);
      line.replaceChildren(`${file.name}: `, linkTo(job));
      refresh();
    } catch (error) {
      line.textContent = `${file.name}: ${error.message}`;
      line.className = "bad";
    }
  }
}

function send(form, model, file) {
  const most = Number(form.dataset.mostBytes);
  if (file.size > most) throw new Error(`This file has ${file.size} bytes; up to ${most} are accepted.`);
  const body = new FormData();
  body.append("model", model);
  body.append("file", file);
  return post(form.action, body);
}

function linkTo(job) {
  const link = document.createElement("a");
  link.href = `/jobs/${encodeURIComponent(job.id)}`;
  link.textContent = "accepted";
  return link;
}
