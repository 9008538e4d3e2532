// Shows vectors to people: a few numbers, the length, and how similar they are.
import { el } from "./playground-elements.js";

const NUMBERS_SHOWN = 6;
const MAX_COMPARED = 12;

export function vectorWords(vector) {
  const first = vector.slice(0, NUMBERS_SHOWN).map((number) => number.toFixed(4)).join(", ");
  return `${vector.length} numbers, length ${norm(vector).toFixed(3)}: ${first}, …`;
}

/** Returns the cosine similarity of each pair of texts. */
export function similarityTable(vectors, texts) {
  const compared = vectors.slice(0, MAX_COMPARED);
  const head = el("tr", {}, el("th", { scope: "col" }, "Cosine"), ...compared.map((_, place) => el("th", { scope: "col", className: "number" }, place + 1)));
  const rows = compared.map((vector, row) => rowOf(vector, row, compared, texts[row]));
  const table = el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows));
  const words = vectors.length > MAX_COMPARED ? `First ${MAX_COMPARED} of ${vectors.length} texts. ` : "";
  return [
    el("h3", {}, "Similarity"),
    el("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: "Similarity" }, table),
    el("p", { className: "fine" }, `${words}1 means the same direction, 0 means unrelated.`),
    el("h3", {}, "Vectors"),
    el("ol", {}, ...compared.map((vector) => el("li", {}, vectorWords(vector)))),
  ];
}

function rowOf(vector, row, compared, text) {
  const cells = compared.map((other) => {
    const likeness = cosine(vector, other);
    const cell = el("td", { className: "number same" }, likeness.toFixed(2));
    cell.style.setProperty("--likeness", Math.max(0, likeness).toFixed(3));
    return cell;
  });
  return el("tr", {}, el("th", { scope: "row", title: text }, `${row + 1}. ${text}`), ...cells);
}

const dot = (one, other) => one.reduce((sum, number, place) => sum + number * other[place], 0);
const norm = (vector) => Math.sqrt(dot(vector, vector));
const cosine = (one, other) => dot(one, other) / (norm(one) * norm(other));
