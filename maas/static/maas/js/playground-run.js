// One run of the model at a time: submission, waiting, cancellation and result.
import { clearRefusals, readForm, showRefusal } from "./playground-form.js";
import { ask, send } from "./playground-requests.js";
import { showAnswer } from "./playground-answer.js";
import { submissionOf } from "./playground-submission.js";

const FIRST_WAIT_S = 1;
const WAIT_S = 2;
// Small requests finish before anybody can press Cancel: they are not aborted, and the job is canceled by its id.
const SENT_AT_ONCE_BYTES = 1024 * 1024;
const LONGEST_PAUSE_MS = 15_000;

// Temporary errors, and those of a proxy without a code: the job continues.
const PASSING = ["", "unreachable", "overloaded", "restarting", "database_unavailable", "storage_unavailable"];

// After these errors, an earlier attempt may have created the job or may still do so.
const UNANSWERED = ["unreachable", "request_in_progress"];

const part = (id) => document.getElementById(id);
const { dataset } = part("playground");

let running = null;
// Kept until a response came: pressing again after a lost response gives the same job.
let unanswered = null;

export function watchRuns() {
  part("call").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!running) run();
  });
  part("cancel").addEventListener("click", cancel);
  // The page disables the button, because the browser would send the form itself before this script listens.
  part("run").disabled = !("allowed" in part("run").dataset);
}

async function run() {
  clearRefusals();
  const call = readForm();
  let submission;
  try {
    submission = submissionOf(call);
  } catch (refusal) {
    refused(refusal);
    return;
  }
  begin(submission.bytes <= SENT_AT_ONCE_BYTES);
  try {
    const job = await finished(await submitted(submission));
    part("cancel").hidden = true;
    end("done", "");
    showAnswer(job, call, performance.now() - running.startedAt);
  } catch (refusal) {
    if (refusal.name === "AbortError") end("idle", "Canceled before sending. Nothing was run.");
    else refused(refusal);
  } finally {
    part("run").disabled = false;
    part("cancel").hidden = true;
    running = null;
  }
}

function begin(sent) {
  running = {
    startedAt: performance.now(),
    stop: new AbortController(),
    sent,
    unwanted: false,
    job: null,
    seq: 0,
    loading: false,
  };
  part("run").disabled = true;
  part("cancel").hidden = false;
  part("cancel").disabled = false;
  for (const id of ["trouble", "summary", "raw"]) part(id).hidden = true;
  part("result").replaceChildren();
  part("outcome").dataset.state = "busy";
  tell("Sending …");
  // The result is below the form and would not be seen there.
  if (matchMedia("(max-width: 64rem)").matches) part("outcome").scrollIntoView({ block: "nearest", behavior: "smooth" });
}

async function submitted({ key, body, headers }) {
  if (unanswered?.key !== key) unanswered = { key, name: newName() };
  const job = await send(dataset.jobs, {
    body,
    headers: { ...headers, "Idempotency-Key": unanswered.name, Prefer: `wait=${FIRST_WAIT_S}` },
    signal: running.stop.signal,
    sent: tellSent,
  }).catch((refusal) => {
    if (!UNANSWERED.includes(refusal.code)) unanswered = null;
    throw refusal;
  });
  unanswered = null;
  running.job = job;
  if (running.unwanted) await cancelJob();
  return job;
}

function tellSent(share) {
  running.sent ||= share === 1;
  if (running.unwanted) return;
  if (share === 1) tell("Sent. Waiting for the result …");
  else tell(`Sending … ${Math.floor(share * 100)} %`, share);
}

// A job continues without being watched: a lost connection only delays the next look.
async function finished(job) {
  let pauseMs = 1_000;
  while (!job.finished_at) {
    tellState(job);
    try {
      job = await ask(job.urls.self, { headers: { Prefer: `wait=${WAIT_S}` } });
      if (!job.finished_at) await lookAtEvents(job);
      pauseMs = 1_000;
    } catch (refusal) {
      if (!PASSING.includes(refusal.code)) throw refusal;
      tell("Connection lost; the job continues. Reconnecting …");
      await new Promise((done) => setTimeout(done, Math.max(pauseMs, refusal.retryAfterS * 1_000)));
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }
  return job.result ? job : ask(`${job.urls.self}?include=result`);
}

async function lookAtEvents(job) {
  const { data } = await ask(`${job.urls.events}?after=${running.seq}`);
  for (const event of data) {
    running.seq = event.seq;
    if (event.type === "page.loading") running.loading = true;
    else if (event.type.startsWith("page.")) running.loading = event.type === "page.running" && running.loading;
  }
}

function tellState(job) {
  const { state, pages_total: total, pages_done: done } = job;
  if (state === "queued") return tell("Queued …");
  if (running.loading && done === 0) return tell("Loading the model …");
  if (total === 1) return tell("Reading …");
  return tell(`Reading page ${Math.min(done + 1, total)} of ${total} …`, done / total);
}

async function cancel() {
  part("cancel").disabled = true;
  tell("Canceling …");
  // A completely sent request may already be a job, whose id is on its way.
  if (running.job) await cancelJob();
  else if (running.sent) running.unwanted = true;
  else running.stop.abort();
}

async function cancelJob() {
  try {
    await ask(running.job.urls.cancel, { method: "POST" });
  } catch (refusal) {
    // A job that has just ended cannot be canceled, and is shown instead.
    if (refusal.code !== "job_finished") refused(refusal);
  }
}

function refused(refusal) {
  const again = refusal.retryAfterS ? ` Try again in ${refusal.retryAfterS} s.` : "";
  if (showRefusal(refusal)) {
    end("idle", "Nothing was run. Correct the marked field.");
    return;
  }
  end("bad", "");
  part("trouble").textContent = `${refusal.detail ?? refusal.message}${again}`;
  part("trouble").hidden = false;
}

function end(state, words) {
  part("outcome").dataset.state = state;
  part("progress").hidden = true;
  part("progress-words").textContent = words;
}

function tell(words, share) {
  part("progress-words").textContent = words;
  const progress = part("progress");
  progress.hidden = false;
  if (share === undefined) progress.removeAttribute("value");
  else progress.value = share;
}

// crypto.randomUUID exists over HTTPS only.
function newName() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
