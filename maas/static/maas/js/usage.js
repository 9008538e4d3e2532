// Draws the month's chart from the numbers in the page, and describes them as text.

import { drawBars, square } from "./bars.js";
import { dayText } from "./times.js";

const holder = document.getElementById("chart");
const told = document.getElementById("told");
const data = JSON.parse(document.getElementById("chart-data")?.textContent ?? "null");

const byMonth = data !== null && new Set(data.days.map((day) => day.slice(8))).size === 1;
const monthName = new Intl.DateTimeFormat("en", { month: "short", timeZone: "UTC" });
const dayWords = (day) => (byMonth ? dayText(day).slice(2) : dayText(day));
const shortly = (day) => (byMonth ? monthName.format(new Date(day)) : Number(day.slice(8)));

const chosen = () => {
  const by = document.querySelector("#apart :checked")?.value ?? "model";
  const name = document.querySelector("#measures :checked")?.value;
  const measures = data.measures[by];
  return measures.find((measure) => measure.name === name) ?? measures[0];
};

function numbers(measure) {
  const format = new Intl.NumberFormat("en", { maximumFractionDigits: measure.unit ? 6 : 0 });
  return (value) => (measure.unit ? `${format.format(value)} ${measure.unit}` : format.format(value));
}

// The axis has space for 20M, but not for 20,000,000.
function marks(measure, words) {
  const short = new Intl.NumberFormat("en", { notation: "compact" });
  return (value) => (value >= 100_000 ? `${short.format(value)}${measure.unit && ` ${measure.unit}`}` : words(value));
}

function draw() {
  const measure = chosen();
  const words = numbers(measure);
  drawBars(holder, {
    labels: data.days.map((day) => String(shortly(day))),
    bars: measure.series.map(({ values }) => values),
    whole: !measure.unit,
    mark: marks(measure, words),
  });
  told.hidden = true;
  tell(measure.series);
  tabulate(measure.series, words);
}

// Describes the bar under the pointer, largest value first.
function read({ target, clientX }) {
  const place = target.closest("[data-place]")?.dataset.place;
  const measure = chosen();
  const words = numbers(measure);
  const parts = measure.series.map(({ name, values }) => ({ name, value: values[place] })).filter(({ value }) => value > 0);
  told.hidden = parts.length === 0;
  if (told.hidden) return;
  const lines = parts.sort((one, other) => other.value - one.value).map(({ name, value }) => `${name}: ${words(value)}`);
  told.textContent = [dayWords(data.days[place]), ...lines].join("\n");
  told.style.left = `${Math.max(0, Math.min(clientX - holder.getBoundingClientRect().left + 12, holder.clientWidth - told.offsetWidth))}px`;
}

// The tables below have the same links for keyboards and screen readers.
function openDay(day) {
  const link = document.querySelector(`#days a[data-at="${day}"]`);
  if (link) location.assign(link.href);
}

// Fills the table with the same numbers, exact and accessible.
function tabulate(series, words) {
  const row = (kind, cells) => {
    const made = document.createElement("tr");
    for (const [place, text] of cells.entries()) {
      const cell = document.createElement(kind === "head" || place === 0 ? "th" : "td");
      if (cell.tagName === "TH") cell.scope = kind === "head" ? "col" : "row";
      if (place > 0) cell.className = "number";
      cell.textContent = text;
      made.append(cell);
    }
    return made;
  };
  const head = document.createElement("thead");
  const body = document.createElement("tbody");
  head.append(row("head", [byMonth ? "Month (UTC)" : "Day (UTC)", ...series.map(({ name }) => name)]));
  for (const [place, day] of data.days.entries()) {
    const values = series.map((one) => one.values[place]);
    if (values.some((value) => value > 0)) body.append(row("body", [dayWords(day), ...values.map((value) => (value > 0 ? words(value) : "–"))]));
  }
  document.getElementById("chart-table").replaceChildren(head, body);
}

// The legend is text, so that it is announced and wraps.
function tell(series) {
  document.getElementById("legend").replaceChildren(
    ...series.map(({ name }, number) => {
      const item = document.createElement("li");
      item.append(square(number), name);
      return item;
    }),
  );
}

for (const choice of ["measures", "apart"]) document.getElementById(choice)?.addEventListener("change", draw);
document.getElementById("filters")?.addEventListener("change", (event) => event.target.form.requestSubmit());
if (holder) {
  new ResizeObserver(draw).observe(holder);
  holder.addEventListener("pointermove", read);
  holder.addEventListener("pointerleave", () => (told.hidden = true));
  holder.addEventListener("click", ({ target }) => {
    const bar = target.closest("[data-place]");
    if (bar) openDay(data.days[bar.dataset.place]);
  });
}
