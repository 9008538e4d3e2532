// Draws stacked bars as SVG, one for each label. Colors are CSS classes, so they follow the theme.

const SVG = "http://www.w3.org/2000/svg";
const LINES = 5;
const BELOW = 24;
const LETTER = 6.6;
const WIDEST = 26;

function made(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// Ticks of the axis are 1, 2 or 5 times a power of ten apart.
export function marksUpTo(highest, whole) {
  const wanted = (highest || 1) / LINES;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = Math.max([1, 2, 5, 10].map((one) => one * power).find((one) => one >= wanted), whole ? 1 : 0);
  return Array.from({ length: Math.ceil((highest || 1) / step) + 1 }, (_, place) => place * step);
}

// `bars` is an array of values for each series, as long as `labels`. `mark` formats a number of the axis.
export function drawBars(holder, { labels, bars, whole, mark }) {
  const { clientWidth: width, clientHeight: height } = holder;
  if (!width) return;
  const sums = labels.map((_, place) => bars.reduce((sum, values) => sum + values[place], 0));
  const marks = marksUpTo(Math.max(...sums), whole);
  const left = 10 + LETTER * Math.max(...marks.map((value) => mark(value).length));
  const drawn = height - BELOW;
  const top = marks.at(-1);
  const y = (value) => 8 + (drawn - 8) * (1 - value / top);
  const each = (width - left) / labels.length;
  const every = Math.ceil((LETTER * Math.max(...labels.map(({ length }) => length)) + 14) / each);
  const bar = Math.min(WIDEST, each * 0.8);
  const svg = made("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  for (const value of marks) {
    svg.append(made("line", { x1: left, x2: width, y1: y(value), y2: y(value) }));
    svg.append(made("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, mark(value)));
  }
  for (const [place, label] of labels.entries()) {
    const x = left + place * each;
    const group = made("g", { "data-place": place });
    group.append(made("rect", { class: "reach", x, y: 0, width: each, height: drawn }));
    let below = 0;
    for (const [number, values] of bars.entries()) {
      const value = values[place];
      if (!(value > 0)) continue;
      const sides = { x: x + (each - bar) / 2, y: y(below + value), width: bar, height: y(below) - y(below + value) };
      group.append(made("rect", { class: `series-${number + 1}`, ...sides }));
      below += value;
    }
    svg.append(group);
    if (place % every === 0) svg.append(made("text", { x: x + each / 2, y: height - 6, "text-anchor": "middle" }, label));
  }
  holder.replaceChildren(svg);
}

export function square(number) {
  const mark = made("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" });
  mark.append(made("rect", { class: `series-${number + 1}`, width: 10, height: 10, rx: 2.5 }));
  return mark;
}
