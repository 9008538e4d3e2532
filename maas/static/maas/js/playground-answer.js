// Shows a finished job: its text, document class, vectors and tensors, or its JSON.
import { exactMoney, roundedMoney } from "./money.js";
import { classesOf } from "./playground-classes.js";
import { el } from "./playground-elements.js";
import { similarityTable, vectorWords } from "./playground-vectors.js";

const PAGES_SHOWN = 10;
const VALUES_SHOWN = 200;
const UNSURE_BELOW = 0.8;
const FIGURES = { FP16: 4, FP32: 7 };
const LISTS_OF_NUMBERS = /\[[\d\s.,eE+-]+\]/g;

const part = (id) => document.getElementById(id);

export function showAnswer(job, call, tookMs) {
  summarize(job, tookMs);
  const { pages } = job.result;
  const ended = pages.filter(({ state }) => state === "succeeded" || state === "failed");
  const shown = ended.slice(0, PAGES_SHOWN).map((page) => pageOf(page, pages.length, call));
  part("result").replaceChildren(...shown, ...notShown(pages.length - ended.length, ended.length - shown.length));
  // The error of a job with one page is shown above it.
  if (job.state === "failed" && pages.length === 1) part("result").replaceChildren();
  showJson(job);
}

function notShown(canceled, more) {
  const words = [];
  if (more > 0) words.push(`Open the job to see ${more} more pages.`);
  if (canceled > 0) words.push(canceled === 1 ? "1 page was not processed." : `${canceled} pages were not processed.`);
  return words.map((sentence) => el("p", { className: "fine" }, sentence));
}

function summarize(job, tookMs) {
  const words = { succeeded: "Done in", partially_succeeded: "Partially succeeded after", canceled: "Canceled after" }[job.state] ?? "Failed after";
  part("outcome").dataset.state = job.state;
  const link = el("a", { href: part("playground").dataset.jobPage + job.id }, "Open the job");
  part("progress-words").textContent = `${words} ${seconds(tookMs)}${atWork(job)}.`;
  part("summary").replaceChildren("Cost: ", el("span", { title: exactMoney(job.cost) }, roundedMoney(job.cost)), ". ", link);
  part("summary").hidden = false;
  part("trouble").hidden = !job.error;
  if (job.error) part("trouble").replaceChildren(`${job.error.detail} `, el("code", {}, job.error.code));
}

function atWork({ started_at: started, finished_at: finished, state }) {
  if (!started || state === "canceled") return "";
  return ` (processing: ${seconds(new Date(finished) - new Date(started))})`;
}

const seconds = (ms) => (ms < 995 ? `${Math.max(1, Math.round(ms / 10) * 10)} ms` : `${(ms / 1_000).toFixed(1)} s`);

function pageOf(page, pagesTotal, call) {
  const article = el("article");
  if (pagesTotal > 1) article.append(el("h3", {}, `Page ${page.number}`));
  if (page.error) article.append(el("p", { className: "bad" }, `${page.error.detail} `, el("code", {}, page.error.code)));
  if (page.class) article.append(...kindOf(page.class));
  if (page.text !== undefined) article.append(linesOf(page));
  if (page.embedding) article.append(el("h3", {}, "Embedding"), el("p", {}, vectorWords(page.embedding)));
  if (page.embeddings) article.append(...similarityTable(page.embeddings, call.value));
  article.append(...classesOf(page.outputs ?? [], JSON.parse(part("playground").dataset.classes)));
  for (const tensor of page.outputs ?? []) article.append(...tensorOf(tensor));
  return article;
}

// Classes of `parse` have probabilities; those of other pipelines may have scores, or neither.
function kindOf({ label, probabilities, scores }) {
  const words = el("h3", {}, `Looks like: ${label}`);
  const shares = Object.entries(probabilities ?? scores ?? {}).filter(([, value]) => Number.isFinite(value));
  if (!shares.some(([, value]) => value > 0)) return [words];
  const list = el("div", { className: "scores" });
  for (const [name, value] of shares.sort(([, one], [, other]) => other - one)) {
    const bar = el("progress", { max: 1, value: Math.max(0, value), ariaLabel: `Score of ${name}` });
    list.append(el("span", {}, name), bar, el("span", { className: "number" }, value.toFixed(2)));
  }
  return [words, list];
}

function linesOf({ text, lines }) {
  if (!text.trim()) return el("p", { className: "fine" }, "No text on this page.");
  const list = el("ul", { className: "text-lines", ariaLabel: "Text", tabIndex: 0 });
  for (const line of lines ?? text.split("\n").map((one) => ({ text: one }))) {
    const unsure = line.confidence != null && line.confidence < UNSURE_BELOW;
    const title = unsure ? `Confidence ${Math.round(line.confidence * 100)} %` : "";
    list.append(el("li", { className: unsure ? "unsure" : "", title }, line.text));
  }
  return list;
}

function tensorOf({ name, datatype, shape, data }) {
  const row = Math.max(1, shape.at(-1) ?? 1);
  const rows = [];
  const shown = data.slice(0, VALUES_SHOWN).map((value) => inFigures(value, FIGURES[datatype]));
  for (let at = 0; at < shown.length; at += row) rows.push(shown.slice(at, at + row).join("  "));
  if (data.length > VALUES_SHOWN) rows.push(`… and ${data.length - VALUES_SHOWN} more`);
  return [
    el("h3", {}, el("code", {}, name), ` ${datatype} ${shape.join(" × ") || "one value"}`),
    el("pre", { tabIndex: 0, role: "region", ariaLabel: `Values of ${name}` }, rows.join("\n")),
  ];
}

// A 32-bit 1.1 is 1.100000023841858 in JavaScript.
const inFigures = (value, figures) => (figures ? Number(value.toPrecision(figures)) : value);

// Rendered when it is opened, since a long document's result has megabytes.
function showJson(job) {
  const raw = part("raw");
  const write = () => {
    if (!raw.open) return;
    const text = JSON.stringify(job, null, 2);
    part("raw-json").textContent = text.replace(LISTS_OF_NUMBERS, (list) => list.replace(/\s+/g, " "));
  };
  raw.ontoggle = write;
  raw.hidden = false;
  write();
}
