// Requests the code for the form's content from the server, so that it is generated in one place only.
import { rememberLanguage } from "./languages.js";
import { onChange, readForm } from "./playground-form.js";
import { pageHeaders } from "./requests.js";

const PAUSE_MS = 250;
const MAX_SENT = 20_100;

let asked = new AbortController();
let pause;

export function followForm() {
  rememberLanguage();
  onChange(() => {
    clearTimeout(pause);
    pause = setTimeout(renew, PAUSE_MS);
  });
  renew();
}

async function renew() {
  asked.abort();
  asked = new AbortController();
  const place = document.getElementById("code");
  const { kind, value, sample, parameters, priority } = readForm();
  try {
    const answer = await fetch(document.getElementById("playground").dataset.code, {
      method: "POST",
      headers: { ...pageHeaders(), "Content-Type": "application/json" },
      // The server refuses longer texts with a message, whatever their end is.
      body: JSON.stringify({ kind, value, sample, parameters, priority }).slice(0, MAX_SENT),
      signal: asked.signal,
    });
    const isCode = (answer.ok || answer.status === 400) && !answer.redirected;
    if (!isCode) throw new Error();
    place.innerHTML = await answer.text();
  } catch (error) {
    if (error.name === "AbortError") return;
    place.replaceChildren(words("The code could not be updated. Reload the page."));
  }
}

function words(text) {
  const notice = document.createElement("p");
  notice.className = "notice wait";
  notice.textContent = text;
  return notice;
}
