// One upload: its state and next step. It knows nothing of the page that shows it.
import { askCost, costWords, exactCost, isTold } from "./costs.js";
import { get, postJson } from "./requests.js";
import { isLarge, sendLargeFile } from "./resumable.js";
import { sizeWords } from "./sizes.js";
import { momentText } from "./times.js";
import { sendFile } from "./transfers.js";

const MAX_TRIES = 5;
const WORTH_DOING_AGAIN = "queued,running,succeeded,partially_succeeded";

const LOCKED = {
  document_encrypted: "This file is password protected. The password is used once and not stored.",
  wrong_password: "The password does not open this file. Check it and try again.",
};

/** States: waiting, sending, checking, accepting, asking, offered, accepted, skipped, locked (by a password), refused (for good), failed, canceled. */
export class Upload {
  constructor(file, options, onChange) {
    const { model, meter, askFirst, priority, classSet, attachments, expiresAfterS, cancelAfterS, addresses } = options;
    Object.assign(this, { file, model, meter, askFirst, priority, classSet, attachments, expiresAfterS, cancelAfterS, addresses, onChange });
    this.packed = isPacked(file);
    this.state = "waiting";
    this.sentBytes = 0;
    this.words = "Waiting";
    this.document = null;
    this.job = null;
    this.archive = null;
    this.password = "";
    this.earlier = null;
    this.key = randomKey();
    const fault = faultOf(this, this.packed ? options.mostPacked : options.most);
    if (fault) this.become("refused", fault);
  }

  get open() {
    return ["waiting", "sending", "checking", "accepting"].includes(this.state);
  }

  become(state, words) {
    Object.assign(this, { state, words });
    this.onChange(this);
  }

  /** False while it is being accepted: nobody could tell whether a job was created. */
  cancel() {
    if (this.state === "accepting") return;
    this.stop?.abort(new Error("Canceled"));
    this.become("canceled", this.document ? "Canceled. The file is stored but not processed." : "Canceled");
  }

  /** `seen(upload)` returns an earlier upload of this page with the same bytes, if any. */
  async run(seen) {
    this.stop = new AbortController();
    const { signal } = this.stop;
    await backOnline(this, signal);
    if (signal.aborted) return;
    try {
      if (this.packed && this.askFirst && !this.agreed) return this.offer("The price of a ZIP file is known only when it is unpacked. Nothing is uploaded yet.");
      if (this.packed) return await this.withRetries(() => this.send(signal), signal);
      this.document ??= await this.withRetries(() => this.send(signal), signal);
      if (signal.aborted) return;
      const twin = seen(this);
      if (twin) this.become("skipped", `Same file as “${twin.file.name}” in this upload. Processed only once.`);
      else if (this.document.duplicate && !this.asked && (await this.wasRead())) this.ask();
      else if (this.askFirst && !this.agreed) await this.withRetries(() => this.price(signal), signal);
      else await this.withRetries(() => this.submit(), signal);
    } catch (error) {
      if (signal.aborted) return;
      if (this.takesPassword(error)) return this.become("locked", LOCKED[error.code]);
      this.become(isFinal(error) ? "refused" : "failed", error.message);
    }
  }

  // Passwords go only with a whole file, not with the pieces of a large one.
  takesPassword({ code }) {
    return code in LOCKED && /\.pdf$/i.test(this.file.name) && !(this.file.url === undefined && isLarge(this.file));
  }

  // Without a network a browser may take minutes to report it: an interrupted upload is retried when the network is back.
  async send(signal) {
    for (;;) {
      this.become(...(this.file.url ? ["checking", "Fetching"] : ["sending", "Uploading"]));
      const cut = new AbortController();
      const stop = () => cut.abort(signal.reason ?? new Error("Connection lost."));
      addEventListener("offline", stop);
      signal.addEventListener("abort", stop);
      try {
        return await this.sendOnce(cut.signal);
      } catch (error) {
        if (signal.aborted || (navigator.onLine && !cut.signal.aborted)) throw error;
      } finally {
        removeEventListener("offline", stop);
        signal.removeEventListener("abort", stop);
      }
      await backOnline(this, signal);
      if (signal.aborted) throw signal.reason;
    }
  }

  sendOnce(signal) {
    this.sentBytes = 0;
    if (this.packed) return this.sendPacked(signal);
    const { url } = this.file;
    const { attachments, password } = this;
    this.password = "";
    if (url) return postJson(this.addresses.documents, { url, attachments, password }, {}, signal);
    const watched = { signal, onSent: (bytes) => this.sent(bytes), onPause: (words) => this.become("sending", words) };
    if (isLarge(this.file)) return sendLargeFile(this.addresses, this.file, watched);
    return sendFile(this.addresses.documents, this.file, { ...watched, fields: { attachments, password } });
  }

  // Once all bytes are sent, it is unknown whether they were accepted, so canceling is no longer possible here.
  async sendPacked(signal) {
    const archive = await sendFile(this.addresses.archives, this.file, {
      fields: { model: this.model, priority: this.priority, ...this.classSetField("") },
      headers: { "Idempotency-Key": this.key },
      signal,
      onSent: (bytes) => this.sent(bytes),
    });
    this.archive = archive.id;
    const count = archive.entries_total;
    this.become("accepted", `Uploaded: ${count === 1 ? "1 file" : `${count} files`}`);
  }

  sent(bytes) {
    this.sentBytes = bytes;
    if (bytes >= this.file.size) this.become(this.packed ? "accepting" : "checking", this.packed ? "Reading the ZIP file" : "Checking");
    else this.become("sending", "Uploading");
  }

  // The key makes a second attempt find the first one's job after a lost response.
  async submit() {
    this.become("accepting", "Creating the job");
    const wanted = { model: this.model, document: this.document.id, priority: this.priority, attachments: this.attachments, ...this.classSetField(null) };
    if (this.expiresAfterS !== null) wanted.expires_after = this.expiresAfterS;
    const headers = { "Idempotency-Key": this.key };
    if (this.cancelAfterS !== null) headers["Cancel-After"] = this.cancelAfterS;
    const job = await postJson(this.addresses.jobs, wanted, headers);
    this.job = job.id;
    const named = this.document.name;
    const known = this.document.duplicate && !this.file.url && named !== this.file.name ? `, already stored as “${named}”` : "";
    this.become("accepted", `Uploaded${known}`);
  }

  // The value for none turns the default set off.
  classSetField(none) {
    return this.classSet === undefined ? {} : { class_set: this.classSet || none };
  }

  async wasRead() {
    const asked = new URLSearchParams({
      document: this.document.id,
      model: this.model,
      state: WORTH_DOING_AGAIN,
      limit: 1,
    });
    [this.earlier] = (await get(`${this.addresses.jobs}?${asked}`)).data;
    return Boolean(this.earlier);
  }

  // Uploading costs nothing; processing does.
  async price(signal) {
    const { pages_total: pages, id: document } = this.document;
    if (!isTold(this.meter)) return this.offer("The price is known only after processing.");
    const found = await askCost(this.addresses.estimate, this.model, { document }, signal);
    this.exact = exactCost(found);
    this.offer(`${costWords(pages, found)}${this.attachmentWords()}.`);
  }

  attachmentWords() {
    const count = this.attachments ? this.document.attachments_total : 0;
    if (!count) return "";
    return count === 1 ? "; its attachment is priced by its own pages" : `; its ${count} attachments are priced by their own pages`;
  }

  offer(words) {
    this.become("offered", words);
  }

  ask() {
    const day = momentText(new Date(this.earlier.created_at), "day");
    const done = this.earlier.finished_at ? `was processed with ${this.model} on ${day}` : `is being processed with ${this.model}`;
    this.become("asking", `Already uploaded: “${this.document.name}” ${done}.`);
  }

  // A busy server sends the seconds to wait.
  async withRetries(act, signal) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await act();
      } catch (error) {
        if (!error.retryAfterMs || tries === MAX_TRIES || signal.aborted) throw error;
        this.become("sending", `${error.message} Trying again in ${Math.ceil(error.retryAfterMs / 1_000)} s …`);
        await pause(error.retryAfterMs, signal);
        if (signal.aborted) throw error;
      }
    }
  }
}

async function backOnline(upload, signal) {
  if (navigator.onLine) return;
  upload.become("sending", "Connection lost. The upload starts again when you are online.");
  await new Promise((done) => {
    addEventListener("online", done, { once: true, signal });
    signal.addEventListener("abort", done, { once: true });
  });
}

function pause(ms, signal) {
  return new Promise((done) => {
    setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

const isPacked = ({ url, name, type }) => !url && (/\.zip$/i.test(name) || /^application\/(x-)?zip(-compressed)?$/.test(type));

function faultOf({ file, packed, expiresAfterS, cancelAfterS }, most) {
  if (file.url) return "";
  if (packed && (expiresAfterS ?? cancelAfterS) !== null) {
    return "Files in a ZIP file cannot expire or be canceled after a time. Clear both fields under “Options”, or upload the files themselves.";
  }
  if (!file.size) return "This file is empty (0 bytes). Choose another file.";
  if (file.size > most.bytes) return `This file is too large: ${sizeWords(file.size)}. The limit is ${most.words}. Split the file.`;
  return "";
}

// The same request would be refused again.
function isFinal({ status }) {
  return status >= 400 && status < 500 && ![401, 408, 409, 423, 429].includes(status);
}

// randomUUID is missing over plain HTTP.
function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `upload-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
