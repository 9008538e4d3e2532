// Sends a large file in pieces by the tus protocol: a lost connection costs at most one piece.
import { get, pageHeaders, refusal, unreachable } from "./requests.js";
import { forget, held, hold, remember, remembered } from "./begun.js";
import { transfer } from "./transfers.js";

const LARGE_BYTES = 16 * 2 ** 20;
const PIECE_BYTES = 8 * 2 ** 20;
const MAX_TRIES = 6;
const LOOK_EVERY_MS = 1_500;
const TUS = { "Tus-Resumable": "1.0.0" };
const OPEN = ["receiving", "checking", "ready"];

export const isLarge = (file) => file.size > LARGE_BYTES;

/** Returns the document, with `duplicate` as for a simple upload. Continues an earlier upload, also after a reload. */
export async function sendLargeFile(addresses, file, watched) {
  const upload = await sendInPieces(addresses.uploads, file, "document", watched);
  forget(upload.id);
  return { ...(await get(`${addresses.documents}/${upload.document}`)), duplicate: upload.duplicate };
}

/** Returns the upload of a model's file. It is remembered until the caller has used it and forgets it. */
export const sendLargeModel = (url, file, watched) => sendInPieces(url, file, "model", watched);

async function sendInPieces(url, file, purpose, { onSent, onPause, signal }) {
  let tries = 0;
  for (;;) {
    try {
      const begun = (await lookFor(file, purpose, signal)) ?? (await begin(url, file, purpose, signal));
      const onStored = () => (tries = 0);
      return await hold(begun.id, () => sendRest(begun, file, { onSent, onStored, signal }));
    } catch (error) {
      tries += 1;
      if (!mayGoOn(error) || tries === MAX_TRIES || signal.aborted || !navigator.onLine) throw error;
      const pauseMs = Math.max(error.retryAfterMs ?? 0, 1_000 * 2 ** (tries - 1));
      onPause(`${error.message} Continuing in ${Math.ceil(pauseMs / 1_000)} s …`);
      await pause(pauseMs, signal);
    }
  }
}

/** Returns unfinished uploads of this browser that no other tab is sending, oldest first. */
export async function begunBefore() {
  const busy = await held();
  const idle = remembered().filter(({ id }) => !busy.has(id));
  const there = await Promise.all(idle.map(async ({ id, mark }) => ({ ...(await stillThere(id)), mark })));
  return there.filter(({ id, purpose }) => id && purpose === "document");
}

/** Erases its bytes. */
export async function giveUp(id) {
  forget(id);
  await fetch(`/v1/uploads/${encodeURIComponent(id)}`, { method: "DELETE", headers: { ...TUS, ...pageHeaders() } });
}

/** Returns the earlier upload of this file, unless another tab is sending it. */
export async function giveUpFile(file) {
  const busy = await held();
  for (const { id } of remembered(file)) if (!busy.has(id)) giveUp(id);
}

async function lookFor(file, purpose, signal) {
  for (const { id } of remembered(file)) {
    const upload = await stillThere(id, signal);
    if (upload?.size === file.size && upload.purpose === purpose) return upload;
  }
  return null;
}

async function stillThere(id, signal) {
  try {
    const upload = await get(`/v1/uploads/${encodeURIComponent(id)}`, signal);
    if (OPEN.includes(upload.state)) return upload;
  } catch (error) {
    if (error.status !== 404 && error.status !== 410) throw error;
  }
  forget(id);
  return null;
}

async function begin(url, file, purpose, signal) {
  const metadata = `filename ${base64(file.name)},purpose ${base64(purpose)}`;
  const headers = { ...TUS, "Upload-Length": file.size, "Upload-Metadata": metadata };
  const request = await transfer("POST", url, null, { headers, onSent: () => {}, signal });
  const upload = request.response;
  remember(upload.id, file);
  return upload;
}

// Sends the rest of the file and returns the upload after its check.
async function sendRest({ url, offset }, file, { onSent, onStored, signal }) {
  let at = offset;
  onSent(at);
  while (at < file.size) {
    const headers = { ...TUS, "Content-Type": "application/offset+octet-stream", "Upload-Offset": at };
    const piece = file.slice(at, at + PIECE_BYTES);
    const request = await transfer("PATCH", url, piece, { headers, onSent: (sent) => onSent(at + sent), signal });
    at = Number(request.getResponseHeader("Upload-Offset"));
    onStored();
  }
  onSent(file.size);
  return outcome(url, signal);
}

// Waits for the check, which may continue after the response to the last piece.
async function outcome(url, signal) {
  for (;;) {
    const upload = await get(url, signal);
    if (upload.state === "ready") return upload;
    if (upload.state !== "checking") throw ended(upload);
    await pause(LOOK_EVERY_MS, signal);
  }
}

function ended({ id, state, error }) {
  forget(id);
  return error ? refusal(422, error) : refusal(410, { detail: `This upload is ${state}. Upload the file again.` });
}

// The server is unavailable or busy, or has another position: the client asks for it again.
const mayGoOn = ({ status }) => [0, 408, 409, 423, 429].includes(status) || status >= 500;

function pause(ms, signal) {
  return new Promise((done, failed) => {
    setTimeout(done, ms);
    signal.addEventListener("abort", () => failed(signal.reason ?? unreachable()));
  });
}

const base64 = (text) => btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
