// Shows the scores of a classifier by the names of its classes, the likeliest first.
import { el } from "./playground-elements.js";

const MAX_ROWS = 10;
const MAX_SHOWN = 8;
const MAX_CLASSES = 1_000;
const TOLERANCE = 0.02;

/** Returns elements for the first output that has a score for each class, or none. `names` may be empty. */
export function classesOf(outputs, names) {
  for (const { datatype, shape, data } of outputs) {
    const [rows, classes] = shape;
    if (!datatype.startsWith("FP") || shape.length !== 2 || classes < 2 || classes > MAX_CLASSES || rows < 1) continue;
    const scores = Array.from({ length: rows }, (_, row) => data.slice(row * classes, (row + 1) * classes));
    const probable = scores.every(areProbabilities);
    if (names.length === classes || (probable && !names.length)) return shown(scores, names, probable);
  }
  return [];
}

function shown(scores, names, probable) {
  const parts = scores.slice(0, MAX_ROWS).flatMap((row, number) => rowOf(row, names, probable, scores.length > 1 ? `Row ${number + 1}: ` : ""));
  if (scores.length > MAX_ROWS) parts.push(el("p", { className: "fine" }, `… and ${scores.length - MAX_ROWS} more rows, below`));
  return parts;
}

function rowOf(row, names, probable, lead) {
  const ranked = row.map((score, number) => [names[number] ?? `class ${number}`, score]).sort(([, one], [, other]) => other - one);
  const list = el("div", { className: "classes" });
  for (const [name, score] of ranked.slice(0, MAX_SHOWN)) {
    const bar = probable ? el("progress", { max: 1, value: score, ariaLabel: `Probability of ${name}` }) : el("span");
    list.append(el("span", {}, name), bar, el("span", { className: "number" }, probable ? percent(score) : String(Number(score.toPrecision(4)))));
  }
  const more = ranked.length > MAX_SHOWN ? [el("p", { className: "fine" }, `and ${ranked.length - MAX_SHOWN} more classes`)] : [];
  return [el("h3", {}, `${lead}${ranked[0][0]}${probable ? `, ${percent(ranked[0][1])}` : ""}`), list, ...more];
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;

function areProbabilities(row) {
  const inRange = row.every((score) => score >= 0 && score <= 1 + TOLERANCE);
  return inRange && Math.abs(row.reduce((sum, score) => sum + score, 0) - 1) <= TOLERANCE;
}
