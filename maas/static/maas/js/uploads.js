// The upload tray: takes files, sends a few at a time, and shows their results.
import { markOf } from "./begun.js";
import { watchDrops, watchPaste } from "./drops.js";
import { say } from "./notices.js";
import { askCost, costWords, exactCost, isTold } from "./costs.js";
import { refresh } from "./refresh.js";
import { begunBefore, giveUp, giveUpFile } from "./resumable.js";
import { Upload } from "./upload.js";
import { meterOf, watchCosts } from "./upload_costs.js";
import { failuresBefore, isFailure, keepFailures } from "./upload_failures.js";
import { closeOptions, timesOf, watchOptions } from "./upload_options.js";
import { makeRow } from "./upload_rows.js";

const AT_ONCE = 3;
const MAX_FILES = 500;

export function watchUploads() {
  const form = document.getElementById("upload");
  if (!form) return;
  const tray = new Tray(form);
  document.addEventListener("click", ({ target }) => target.closest("[data-choose]") && form.file.click());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (tray.take([addressed(form.address.value.trim())])) form.address.value = "";
  });
  form.file.addEventListener("change", () => {
    tray.take([...form.file.files]);
    form.file.value = "";
  });
  watchDrops(document.getElementById("drop"), (files) => tray.take(files));
  watchPaste((files) => tray.take(files));
  rememberModel(form.model);
  watchCosts(form);
  watchOptions(form);
}

class Tray {
  constructor(form) {
    this.form = form;
    this.rows = new Map();
    this.list = document.getElementById("uploads");
    this.failures = document.getElementById("failed-uploads");
    document.getElementById("clear-uploads").addEventListener("click", () => this.clear());
    document.getElementById("read-offered").addEventListener("click", () => this.agreeToAll());
    document.getElementById("cancel-uploads").addEventListener("click", () => this.cancelAll());
    addEventListener("beforeunload", (event) => {
      if (this.uploads.some(({ open }) => open)) event.preventDefault();
    });
    for (const one of failuresBefore()) this.add(one);
    this.describe();
    this.showBegun();
  }

  /** Uploads that a reload interrupted: the person must choose the file again; finished parts are kept. */
  async showBegun() {
    const begun = await begunBefore();
    this.forget(({ restored, file }) => restored && begun.some(({ mark }) => mark === markOf(file)));
    for (const one of begun) {
      const part = Math.floor((100 * one.offset) / one.size);
      this.add({
        file: { name: one.name, size: one.size },
        state: "begun",
        words: `Unfinished: ${part} % uploaded. Choose or drop the file again to continue.`,
        sentBytes: one.offset,
        begun: one,
      });
    }
    this.describe();
  }

  add(upload, below = null) {
    const row = makeRow(upload, (name, which) => this.act(name, which));
    this.rows.set(upload, row);
    if (isFailure(upload)) this.failures.append(row);
    else this.list.insertBefore(row, below);
  }

  // Failures have their own list above the others, so that scrolling does not hide them.
  move(upload) {
    const row = this.rows.get(upload);
    const list = isFailure(upload) ? this.failures : this.list;
    if (row.parentElement === list) return;
    if (list === this.failures) list.append(row);
    else list.prepend(row);
  }

  get uploads() {
    return [...this.rows.keys()];
  }

  /** Returns whether the files were taken, and shows the reason if not. */
  take(files) {
    if (!files.length) return refuse("No files found in the dropped items.", "wait");
    if (files.length > MAX_FILES) {
      return refuse(`${files.length} files selected; the limit is ${MAX_FILES} at once. Nothing was uploaded.`);
    }
    const { dataset, model, priority, action } = this.form;
    let times;
    try {
      times = timesOf(this.form);
    } catch (error) {
      return refuse(`${error.message} Nothing was uploaded.`);
    }
    const options = {
      model: model.value,
      meter: meterOf(this.form),
      askFirst: this.form.ask_first.checked,
      priority: priority.value,
      classSet: this.form.class_set?.value,
      attachments: this.form.attachments.checked,
      ...times,
      addresses: { documents: action, jobs: dataset.jobs, uploads: dataset.uploads, archives: dataset.archives, estimate: dataset.estimate },
      most: { bytes: Number(dataset.mostBytes), words: dataset.mostWords },
      mostPacked: { bytes: Number(dataset.mostArchiveBytes), words: dataset.mostArchiveWords },
    };
    const known = new Set();
    const batch = new Map();
    this.forget((one) => (one.begun || one.restored) && files.some((file) => (one.begun?.mark ?? markOf(one.file)) === markOf(file)));
    const below = this.list.firstChild;
    for (const file of files) {
      const upload = new Upload(file, options, (changed) => this.changed(changed));
      upload.batch = batch;
      const mark = markOf(file);
      if (known.has(mark) && upload.open) upload.become("skipped", "Selected twice. Uploaded only once.");
      known.add(mark);
      this.add(upload, below);
    }
    closeOptions(this.form);
    this.next();
    return true;
  }

  act(name, upload) {
    if (name === "cancel") upload.cancel();
    else if (name === "give up") {
      giveUp(upload.begun.id);
      this.remove(upload);
    } else if (name === "remove") {
      const again = this.uploads.some((one) => one !== upload && one.open && markOf(one.file) === markOf(upload.file));
      if (!upload.document && !upload.restored && !again) giveUpFile(upload.file);
      this.remove(upload);
    }
    else if (name === "unlock" && !upload.password) return;
    else {
      if (name === "again") upload.asked = true;
      if (name === "agree") upload.agreed = true;
      upload.become("waiting", "Waiting");
    }
    // The pressed button has disappeared with its question.
    if (document.activeElement === document.body) document.getElementById("tray-title").focus();
    this.next();
  }

  next() {
    const running = this.uploads.filter(({ state, started }) => started && state !== "waiting").length;
    for (const upload of this.uploads.filter(({ state }) => state === "waiting").slice(0, AT_ONCE - running)) {
      upload.started = true;
      upload.become("sending", "Uploading");
      upload.run((one) => this.twinOf(one)).finally(() => {
        upload.started = false;
        if (upload.state === "accepted") refresh();
        this.next();
      });
    }
    this.describe();
  }

  agreeToAll() {
    for (const upload of this.offered) {
      upload.agreed = true;
      upload.become("waiting", "Waiting");
    }
    document.getElementById("tray-title").focus();
    this.next();
  }

  get offered() {
    return this.uploads.filter(({ state }) => state === "offered");
  }

  // Separate estimates would count the same included units for each.
  async tellTotal() {
    const [first, ...rest] = this.offered;
    const line = document.getElementById("offered-cost");
    const mark = this.offered.map(({ document }) => document?.id).join();
    if (mark === this.totalled) return;
    this.totalled = mark;
    const told = rest.length && isTold(first.meter) && this.offered.every(({ document, model }) => document && model === first.model);
    if (!told) {
      line.textContent = "";
      return;
    }
    const pages = this.offered.reduce((sum, { document }) => sum + document.pages_total, 0);
    const found = await askCost(first.addresses.estimate, first.model, { pages }).catch(() => null);
    if (this.totalled !== mark) return;
    line.textContent = found ? `Total: ${costWords(pages, found)}.` : "";
    line.title = found ? exactCost(found) : "";
  }

  // Of the same bytes under two names, the first to arrive is processed.
  twinOf(upload) {
    const mark = `${upload.document.id} ${upload.model}`;
    const first = upload.asked ? upload : (upload.batch.get(mark) ?? upload);
    if (first === upload || ["failed", "refused", "canceled"].includes(first.state)) {
      upload.batch.set(mark, upload);
      return null;
    }
    return first;
  }

  changed(upload) {
    if (!this.rows.has(upload)) return;
    this.rows.get(upload).update();
    this.move(upload);
  }

  describe() {
    const count = (...states) => this.uploads.filter(({ state }) => states.includes(state)).length;
    const open = this.uploads.filter((upload) => upload.open).length;
    const begun = count("begun");
    const all = this.rows.size - begun;
    const failures = this.uploads.filter(isFailure);
    const said = [
      open ? `${open} of ${all} to upload` : all > failures.length && `${count("accepted")} uploaded`,
      failures.length && `${failures.length} failed`,
      count("asking", "offered") && `${count("asking", "offered")} to confirm`,
      count("locked") && `${count("locked")} with a password`,
      begun && `${begun} unfinished`,
    ].filter(Boolean);
    document.getElementById("tray").hidden = !this.rows.size;
    document.getElementById("tray-words").textContent = said.join(", ");
    document.getElementById("tray").classList.toggle("has-failures", failures.length > 0);
    keepFailures(failures);
    const read = document.getElementById("read-offered");
    read.hidden = this.offered.length < 2;
    read.textContent = `Process all ${this.offered.length}`;
    document.getElementById("cancel-uploads").hidden = open < 2;
    this.tellTotal();
    document.getElementById("clear-uploads").hidden = open === all;
  }

  forget(isGone) {
    for (const upload of this.uploads.filter(isGone)) this.remove(upload);
  }

  remove(upload) {
    this.rows.get(upload).remove();
    this.rows.delete(upload);
  }

  clear() {
    for (const upload of this.uploads) if (!upload.open && !["asking", "offered", "locked", "begun"].includes(upload.state)) this.remove(upload);
    this.describe();
  }

  cancelAll() {
    for (const upload of this.uploads) if (upload.open) upload.cancel();
    this.describe();
  }
}

function refuse(words, tone = "bad") {
  say(words, tone);
  return false;
}

// Stands for a file that the server fetches. Its name omits the query, which may be a secret.
function addressed(url) {
  const [place] = url.split("?");
  return { url, name: place.replace(/^https:\/\//, ""), size: 0, lastModified: url };
}

function rememberModel(select) {
  const shown = document.getElementById("drop-model");
  const show = () => (shown.textContent = select.selectedOptions[0].textContent);
  try {
    const last = localStorage.getItem("upload-model");
    if ([...select.options].some(({ value }) => value === last)) select.value = last;
  } catch {
    // Without storage, the first model is chosen.
  }
  select.addEventListener("change", () => {
    show();
    try {
      localStorage.setItem("upload-model", select.value);
    } catch {
      // Without storage, the choice lasts until the page is left.
    }
  });
  show();
}
