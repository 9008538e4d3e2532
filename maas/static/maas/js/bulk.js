// Buttons that act on every selected job and report the results.
import { say } from "./notices.js";
import { refresh } from "./refresh.js";
import { get, post } from "./requests.js";
import { pickNone, pickedIds } from "./selection.js";

const MAX_AT_ONCE = 100;

export function watchBulk() {
  document.getElementById("bulk").addEventListener("keydown", pressedEnter);
  document.getElementById("bulk").addEventListener("click", async ({ target }) => {
    const button = target.closest("button[data-bulk]");
    if (!button || button.ariaBusy === "true") return;
    const ids = pickedIds();
    if (ids.length > MAX_AT_ONCE) return say(`${ids.length} selected; the limit is ${MAX_AT_ONCE} at once. Select fewer.`, "bad");
    button.ariaBusy = "true";
    try {
      await act(button, new URLSearchParams(ids.map((id) => ["job", id])));
    } catch (error) {
      say(error.message, "bad");
    } finally {
      button.ariaBusy = "false";
    }
  });
}

// The fields of a button are no form, in which the key would send them.
function pressedEnter(event) {
  const fields = event.key === "Enter" && event.target.closest("input") && event.target.closest("fieldset[id]");
  const button = fields && document.querySelector(`[data-with="${fields.id}"]`);
  if (!button) return;
  event.preventDefault();
  button.click();
}

async function act({ dataset }, jobs) {
  if (dataset.bulk === "archive") return downloadArchive(jobs);
  if (dataset.bulk === "fields") return download(`${bar().dataset.fields}&${jobs}`);
  const consequences = dataset.consequences && (await get(`${dataset.consequences}?${jobs}`));
  if (consequences && !(await confirmed(consequences))) return;
  for (const { name, value } of document.getElementById(dataset.with)?.elements ?? []) if (name) jobs.append(name, value);
  const { words, outcomes } = await post(dataset.bulk, jobs);
  const done = outcomes.some(({ outcome }) => ["canceled", "retried", "deleted", "added"].includes(outcome));
  // Other jobs are deleted with the selected ones: the notice counts all.
  const whole = consequences && outcomes.every(({ outcome }) => ["deleted", "no_document"].includes(outcome));
  say(whole ? `${consequences.verb}d ${consequences.what}.` : words, done ? "good" : "wait");
  if (done) pickNone();
  await refresh();
}

const bar = () => document.getElementById("bulk");

// Follows a link, so that the browser shows its own progress and the file does not pass through this page.
function download(address) {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}

function downloadArchive(jobs) {
  const chosen = [...document.querySelectorAll("#formats input:checked")];
  if (!chosen.length) return say("Choose what the ZIP file contains under “ZIP contents”.", "bad");
  jobs.append("formats", chosen.map(({ value }) => value).join(","));
  download(`${bar().dataset.archive}?${jobs}`);
  const titles = chosen.map(({ labels }) => labels[0].textContent.trim());
  say(`Preparing the ZIP file. It contains for each document: ${titles.join(", ")}.`);
}

function confirmed({ verb, documents, what, words }) {
  if (!documents) {
    say("None of the selected jobs has a file to delete.", "wait");
    return false;
  }
  const dialog = document.getElementById("confirm");
  document.getElementById("confirm-title").textContent = `${verb} ${what}?`;
  document.getElementById("confirm-yes").textContent = `${verb} ${what}`;
  const lines = words.map((line) => Object.assign(document.createElement("li"), { textContent: line }));
  document.getElementById("confirm-words").replaceChildren(...lines);
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((done) => {
    dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true });
  });
}
