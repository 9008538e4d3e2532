// Draws the month's chart from the numbers that the page carries; colours are those of the theme.
/* global Chart */
import { dayText } from "./times.js";

const canvas = document.getElementById("chart");
const data = JSON.parse(document.getElementById("chart-data")?.textContent ?? "null");
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
let chart;

// light-dark() is worked out only for a property that uses it: a probe is painted and asked.
function colour(name) {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

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

// Beside the chart is room for 20M, and not for 20,000,000.
function marks(measure, words) {
  const short = new Intl.NumberFormat("en", { notation: "compact" });
  return (value) => (value >= 100_000 ? `${short.format(value)}${measure.unit && ` ${measure.unit}`}` : words(value));
}

function draw() {
  const measure = chosen();
  const words = numbers(measure);
  const faint = colour("--faint");
  const datasets = measure.series.map((series, place) => ({
    label: series.name,
    data: series.values,
    backgroundColor: colour(`--series-${place + 1}`),
    maxBarThickness: 26,
  }));
  chart?.destroy();
  chart = new Chart(canvas, {
    type: "bar",
    data: { labels: data.days, datasets },
    options: {
      animation: calm || chart ? false : { duration: 300 },
      maintainAspectRatio: false,
      interaction: { mode: "index", intersect: false },
      onClick: (_, [bar]) => bar && openDay(data.days[bar.index]),
      onHover: ({ native }, [bar]) => (native.target.style.cursor = bar ? "pointer" : ""),
      scales: {
        x: {
          stacked: true,
          border: { color: colour("--line") },
          grid: { display: false },
          ticks: { color: faint, maxRotation: 0, autoSkipPadding: 14, callback: (place) => shortly(data.days[place]) },
        },
        y: {
          stacked: true,
          beginAtZero: true,
          border: { display: false },
          grid: { color: colour("--line") },
          ticks: { color: faint, maxTicksLimit: 6, callback: marks(measure, words) },
        },
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          filter: ({ raw }) => raw > 0,
          itemSort: (one, other) => other.raw - one.raw,
          callbacks: { title: ([{ label }]) => dayWords(label), label: ({ dataset, raw }) => ` ${dataset.label}: ${words(raw)}` },
        },
      },
    },
  });
  tell(datasets);
  tabulate(datasets, words);
}

// The tables below have the same links, for whoever has no pointer.
function openDay(day) {
  const link = document.querySelector(`#days a[data-at="${day}"]`);
  if (link) location.assign(link.href);
}

// The same numbers for whoever does not see the chart, or wants them exactly.
function tabulate(datasets, words) {
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
  head.append(row("head", [byMonth ? "Month (UTC)" : "Day (UTC)", ...datasets.map(({ label }) => label)]));
  for (const [place, day] of data.days.entries()) {
    const values = datasets.map((one) => one.data[place]);
    if (values.some((value) => value > 0)) body.append(row("body", [dayWords(day), ...values.map((value) => (value > 0 ? words(value) : "–"))]));
  }
  document.getElementById("chart-table").replaceChildren(head, body);
}

// The legend is text of the page, so that it is read aloud and wraps like text.
function tell(datasets) {
  document.getElementById("legend").replaceChildren(
    ...datasets.map(({ label, backgroundColor }) => {
      const item = document.createElement("li");
      const mark = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      mark.setAttribute("viewBox", "0 0 10 10");
      mark.setAttribute("aria-hidden", "true");
      const square = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      for (const [name, value] of Object.entries({ width: 10, height: 10, rx: 2.5, fill: backgroundColor })) square.setAttribute(name, value);
      mark.append(square);
      item.append(mark, label);
      return item;
    }),
  );
}

if (canvas) draw();
for (const choice of ["measures", "apart"]) document.getElementById(choice)?.addEventListener("change", draw);
document.getElementById("filters")?.addEventListener("change", (event) => event.target.form.requestSubmit());
if (canvas) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}
