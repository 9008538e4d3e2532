// Copy buttons: an id, the text of the job, the text or JSON of the open page.
import { say } from "../notices.js";
import { leaf } from "./leaf.js";

const SHOWN_MS = 2_000;

export function watchCopying() {
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("[data-copy-text], [data-copy-from], [data-copy-page]");
    if (!button) return;
    button.setAttribute("aria-busy", "true");
    try {
      await copy(await wanted(button.dataset));
      confirmOn(button, "Copied");
    } catch (error) {
      say(error.message, "bad");
    } finally {
      button.removeAttribute("aria-busy");
    }
  });
}

async function wanted({ copyText, copyFrom, copyPage }) {
  if (copyText) return copyText;
  if (copyFrom) return (await answer(copyFrom)).text();
  const job = document.getElementById("job").dataset.follow;
  const page = await (await answer(`/v1/jobs/${job}/pages/${leaf().dataset.number}`)).json();
  return copyPage === "text" ? page.text : JSON.stringify(page, null, 2);
}

async function answer(url) {
  const response = await fetch(url).catch(() => {
    throw new Error("The server could not be reached. Check your connection and try again.");
  });
  if (response.ok) return response;
  throw new Error(`Copying failed (error ${response.status}). Reload the page.`);
}

export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Over plain HTTP there is no clipboard API; the older command still works in most browsers.
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("Your browser does not allow copying here. Use Download instead.");
}

export function confirmOn(button, words) {
  const label = button.querySelector("span");
  button.dataset.label ??= label.textContent;
  label.textContent = words;
  document.getElementById("said").textContent = words;
  setTimeout(() => (label.textContent = button.dataset.label), SHOWN_MS);
}
