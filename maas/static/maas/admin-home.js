// Refreshes the changing part of an admin page every few seconds while the tab is visible.

const EVERY_MS = 4000;
const TONES = {
  accent: ["--color-primary-600", "--color-primary-400"],
  good: ["--op-good", "--op-good"],
  watch: ["--op-watch", "--op-watch"],
  bad: ["--op-bad", "--op-bad"],
  quiet: ["--color-base-400", "--color-base-500"],
  first: ["--color-primary-600", "--color-primary-400"],
  second: ["--op-teal", "--op-teal"],
  third: ["--op-violet", "--op-violet"],
  fourth: ["--op-watch", "--op-watch"],
};
const page = document.querySelector("[data-live]");
const drawn = new Map();
let timer = 0;
let misses = 0;

const dark = () => document.documentElement.classList.contains("dark");
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function series({ kind, minutes, lines }) {
  const ofDays = minutes.at(-1) - minutes[0] > 86400;
  const words = (at) => new Date(at * 1000).toISOString().slice(ofDays ? 5 : 11, 16).replace("T", " ");
  return {
    labels: minutes.map((at) => `${words(at)} UTC`),
    datasets: lines.map((line) => (kind === "line" ? curve : bar)(line)),
  };
}

function curve(line) {
  const color = ink(TONES[line.tone][dark() ? 1 : 0]);
  return { label: line.name, data: line.values, borderColor: color, backgroundColor: color, borderWidth: 2, pointRadius: 1.5, spanGaps: true, tension: 0.2 };
}

function bar(line) {
  return {
    label: line.name,
    data: line.values,
    backgroundColor: ink(TONES[line.tone][dark() ? 1 : 0]),
    stack: "one",
    borderRadius: 1,
    barPercentage: 1,
    categoryPercentage: 0.8,
  };
}

function options(kind) {
  const stacked = kind !== "line";
  const faint = ink(dark() ? "--color-base-400" : "--color-base-500");
  const line = ink(dark() ? "--color-base-800" : "--color-base-200");
  const numbers = { color: faint, maxTicksLimit: 5, ...(stacked && { precision: 0 }) };
  return {
    animation: false,
    maintainAspectRatio: false,
    interaction: { mode: "index", intersect: false },
    plugins: {
      legend: { position: "bottom", align: "start", labels: { color: faint, boxWidth: 8, boxHeight: 8, usePointStyle: true, padding: 14 } },
      tooltip: { itemSort: (one, other) => other.datasetIndex - one.datasetIndex },
    },
    scales: {
      x: { stacked, grid: { display: false }, border: { color: line }, ticks: { color: faint, maxTicksLimit: 7, maxRotation: 0 } },
      y: { stacked, beginAtZero: true, suggestedMax: stacked ? 4 : undefined, grid: { color: line }, border: { display: false }, ticks: numbers },
    },
  };
}

function draw(numbers) {
  for (const canvas of document.querySelectorAll("canvas[data-chart]")) {
    const name = canvas.dataset.chart;
    const { kind = "bar" } = numbers[name];
    const data = series(numbers[name]);
    const chart = drawn.get(name);
    canvas.setAttribute("aria-label", numbers[name].words);
    const nothing = canvas.parentElement.querySelector(".op-nothing");
    nothing.textContent = numbers[name].empty;
    nothing.hidden = !numbers[name].empty;
    if (chart) {
      Object.assign(chart, { data, options: options(kind) });
      chart.update("none");
    } else {
      drawn.set(name, new window.Chart(canvas, { type: kind, data, options: options(kind) }));
    }
  }
}

const numbersIn = (root) => {
  const holder = root.querySelector("#chart-numbers");
  return holder && JSON.parse(holder.textContent);
};

// Replaces only changed parts, so that selection and focus stay.
function exchange(root) {
  for (const fresh of root.querySelectorAll("[data-zone]")) {
    const zone = page.querySelector(`[data-zone="${fresh.dataset.zone}"]`);
    if (!zone || zone.innerHTML === fresh.innerHTML) continue;
    const held = zone.contains(document.activeElement) ? focusMark(document.activeElement) : null;
    const scrolled = [...zone.querySelectorAll(".op-scroll")].map((box) => box.scrollLeft);
    zone.innerHTML = fresh.innerHTML;
    zone.querySelectorAll(".op-scroll").forEach((box, i) => { box.scrollLeft = scrolled[i] ?? 0; });
    if (held) zone.querySelector(held)?.focus({ preventScroll: true });
  }
}

function focusMark(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const href = element.getAttribute("href");
  return href ? `[href="${CSS.escape(href)}"]` : null;
}

function say(words, live) {
  const state = page.querySelector("[data-live-state]");
  if (state.textContent !== words) state.textContent = words;
  page.classList.toggle("is-stale", !live);
}

const count = (root) => root.querySelector("[data-live-count]")?.dataset.liveCount;

function mark() {
  const now = new Date().toISOString().slice(11, 19);
  page.querySelector("[data-live-since]").textContent = `as of ${now} UTC`;
}

async function refresh() {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    const answer = await fetch(page.dataset.live, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(15000), redirect: "error" });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    const root = new DOMParser().parseFromString(await answer.text(), "text/html");
    // A page with another number of charts is loaded anew.
    if (count(root) !== count(page)) return location.reload();
    exchange(root);
    const numbers = numbersIn(root);
    if (numbers) draw(numbers);
    misses = 0;
    say("Live", true);
    mark();
  } catch (error) {
    misses += 1;
    say(`Not live: ${error.message}. Trying again`, false);
  }
  if (!document.hidden) timer = setTimeout(refresh, Math.min(EVERY_MS * 2 ** misses, 60000));
}

const first = numbersIn(document);
if (first) {
  draw(first);
  new MutationObserver(() => refresh()).observe(document.documentElement, { attributeFilter: ["class"] });
}
document.addEventListener("visibilitychange", refresh);
mark();
timer = setTimeout(refresh, EVERY_MS);
