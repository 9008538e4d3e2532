// Entry of the list of documents: uploads, search and filters, selection, and the list kept live.
import { watchBulk } from "./bulk.js";
import { watchColumns } from "./column-menu.js";
import { followEvents } from "./events.js";
import { emptyFieldFilter, watchFieldFilter } from "./field-filter.js";
import { say } from "./notices.js";
import { refresh, refreshNowAndThen } from "./refresh.js";
import { pickNone, showSelection, watchSelection } from "./selection.js";
import { watchUploads } from "./uploads.js";

const ENDED = ["succeeded", "partially_succeeded", "failed", "canceled", "expired"];
const find = document.getElementById("find");
const FILTERS = ["needs_review", "class", "model", "sent", "from", "to"];
let states = new Map();

function watchList() {
  states = statesShown();
  document.addEventListener("adopted", ({ detail }) => {
    for (const part of detail.parts) window.htmx?.process(part);
    find.hidden = Boolean(document.getElementById("first"));
    showSelection();
    sayEnds();
  });
  // The list changes, so selected jobs would be out of sight.
  document.body.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target.id !== "jobs") return;
    pickNone();
    emptyFieldFilter();
    states = statesShown();
    announce(document.getElementById("count")?.textContent ?? "Nothing found");
  });
  document.body.addEventListener("htmx:pushedIntoHistory", fieldsFromAddress);
}

// Links in the list change the values of the form above it.
function fieldsFromAddress() {
  const asked = new URL(location.href).searchParams;
  for (const field of find.querySelectorAll("input, select")) {
    if (field !== document.activeElement) field.value = asked.get(field.name) ?? "";
  }
  const used = [...asked.keys()].filter((name) => FILTERS.includes(name) || name.startsWith("field.")).length;
  document.getElementById("filters-used").textContent = used || "";
}

const statesShown = () =>
  new Map([...document.querySelectorAll("#job-rows > tr")].map(({ id, dataset }) => [id, dataset.state]));

// Of all changes in a list, only the end of a job is announced to screen readers.
function sayEnds() {
  const now = statesShown();
  const ended = [...now].filter(([id, state]) => ENDED.includes(state) && states.has(id) && states.get(id) !== state);
  states = now;
  if (ended.length === 1) {
    const [[id, state]] = ended;
    announce(`${document.getElementById(id).dataset.name}: ${state.replaceAll("_", " ")}`);
  } else if (ended.length) announce(`${ended.length} jobs finished`);
}

// A search by meaning takes a while: the pressed link shows that it is running.
function sayBusy() {
  document.body.addEventListener("htmx:beforeRequest", ({ detail }) => {
    const list = document.getElementById("jobs");
    list.ariaBusy = "true";
    const link = detail.elt.closest("a[data-busy]");
    if (!link) return;
    link.textContent = link.dataset.busy;
    link.ariaDisabled = "true";
  });
  document.body.addEventListener("htmx:afterRequest", ({ detail }) => {
    const list = document.getElementById("jobs");
    list.ariaBusy = "false";
    const link = detail.elt.closest("a[data-busy]");
    if (!link?.isConnected) return;
    link.textContent = link.dataset.words;
    link.ariaDisabled = "false";
  });
}

function announce(words) {
  document.getElementById("said").textContent = words;
}

function watchKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || find.hidden) return;
    if (event.target.closest("input:not([type=checkbox]), select, textarea, dialog")) return;
    event.preventDefault();
    find.q.focus();
    find.q.select();
  });
}

// Even without permission to upload, a dropped file must not replace the page.
function refuseDrops() {
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    say("Your role cannot upload documents. Ask an owner of the account to change your role.", "wait");
  });
}

watchSelection();
watchBulk();
watchList();
sayBusy();
watchKeys();
watchColumns();
watchFieldFilter();
if (document.getElementById("upload")) watchUploads();
else refuseDrops();
refreshNowAndThen();
followEvents(refresh);
