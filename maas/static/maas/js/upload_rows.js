// Rows of the upload tray: a bar, a message and buttons.
import { sizeWords } from "./sizes.js";

/** A row that follows its upload. `act(name, upload)` is called for its buttons. */
export function makeRow(upload, act) {
  const row = document.createElement("li");
  const name = element("bdi", "name", upload.file.name);
  name.title = upload.file.name;
  const size = element("span", "fine size");
  const bar = element("progress");
  bar.max = Math.max(1, upload.file.size);
  bar.ariaLabel = `Upload progress of ${upload.file.name}`;
  const words = element("p", "words");
  const buttons = element("span", "buttons");
  row.append(name, size, bar, words, buttons);
  row.update = () => update(row, { upload, act, bar, words, buttons, size });
  row.update();
  return row;
}

function update(row, { upload, act, bar, words, buttons, size }) {
  if (["sending", "begun"].includes(upload.state)) {
    bar.value = upload.sentBytes;
    size.textContent = `${sizeWords(upload.sentBytes)} of ${sizeWords(upload.file.size)}`;
  } else {
    // Without a value, the browser shows an indeterminate bar.
    if (["checking", "accepting"].includes(upload.state)) bar.removeAttribute("value");
    size.textContent = upload.file.url ? "" : sizeWords(upload.file.size);
  }
  bar.hidden = !upload.open && upload.state !== "begun";
  if (upload.state === "waiting") bar.value = 0;
  words.textContent = upload.words;
  words.title = (upload.state === "offered" && upload.exact) || "";
  if (row.className === upload.state) return;
  row.className = upload.state;
  buttons.replaceChildren(...controls(upload, act));
}

function controls(upload, act) {
  const of = upload.file.name;
  const button = (name, title) => {
    const made = element("button", "quiet small", title);
    made.type = "button";
    made.ariaLabel = `${title}: ${of}`;
    made.addEventListener("click", () => act(name, upload));
    return made;
  };
  if (upload.state === "locked") return [passwordField(upload, act), button("unlock", "Open"), button("remove", "Remove")];
  if (upload.state === "accepting") return [];
  if (upload.open) return [button("cancel", "Cancel")];
  if (upload.state === "begun") return [button("give up", "Discard")];
  if (upload.state === "asking") return [link(`/jobs/${upload.earlier.id}`, "Open"), button("again", "Process again"), button("remove", "Skip")];
  if (upload.state === "offered") return [button("agree", upload.packed ? "Upload" : "Process"), button("remove", "Skip")];
  if (upload.state === "accepted") return [link(upload.archive ? `/archives/${upload.archive}` : `/jobs/${upload.job}`, "Open")];
  if (upload.state === "failed" || upload.state === "canceled") return [button("retry", "Retry"), button("remove", "Remove")];
  return [button("remove", "Remove")];
}

function passwordField(upload, act) {
  const field = element("input");
  field.type = "password";
  field.autocomplete = "off";
  field.maxLength = 1_000;
  field.placeholder = "Password";
  field.ariaLabel = `Password of ${upload.file.name}`;
  field.addEventListener("input", () => (upload.password = field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") act("unlock", upload);
  });
  return field;
}

function link(href, title) {
  const made = element("a", "button quiet small", title);
  made.href = href;
  return made;
}

function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}
