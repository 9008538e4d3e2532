// The tables of a page: moves from cell to cell by keys, copies a table for a spreadsheet, saves it as CSV.
import { confirmOn, copy } from "./copying.js";
import { leaf, onLeaf, reveal, typing } from "./leaf.js";
import { light, pin } from "./lines.js";
import { say } from "../notices.js";

export function watchTables() {
  onLeaf((page) => {
    for (const grid of page.querySelectorAll('[role="grid"]')) cellsOf(grid)[0]?.setAttribute("tabindex", "0");
  });
  document.addEventListener("focusin", ({ target }) => focused(target));
  document.addEventListener("keydown", pressed);
  document.addEventListener("click", ({ target }) => {
    const copying = target.closest("[data-copy-table]");
    const saving = target.closest("[data-save-table]");
    if (copying) copied(copying);
    else if (saving) save(saving.dataset.saveTable, csv(rowsOf(saving)));
  });
}

const cellsOf = (grid) => [...grid.querySelectorAll("th, td")];
const cellOf = (target) => target.closest?.('[role="grid"] :is(th, td)');

function focused(target) {
  const cell = cellOf(target);
  if (!cell) return;
  for (const other of cell.closest("table").querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
  cell.tabIndex = 0;
  light(cell.dataset.line ?? null);
  const shape = leaf().querySelector(`polygon[data-line="${cell.dataset.line}"]`);
  reveal(shape, document.getElementById("stage"));
}

function pressed(event) {
  const cell = cellOf(event.target);
  if (!cell || typing(event)) return;
  const table = cell.closest("table");
  const places = placesOf(table);
  const place = places.find((one) => one.cell === cell);
  const at = (row, column) => places.find((one) => covers(one, row, column))?.cell;
  const goals = {
    ArrowLeft: () => at(place.row, place.column - 1),
    ArrowRight: () => at(place.row, place.column + cell.colSpan),
    ArrowUp: () => at(place.row - 1, place.column),
    ArrowDown: () => at(place.row + cell.rowSpan, place.column),
    Home: () => at(place.row, 0),
    End: () => places.findLast((one) => one.row === place.row)?.cell,
  };
  if (event.key in goals) goals[event.key]()?.focus();
  else if (event.key === "Enter" || event.key === " ") pin(cell.matches(".pinned") ? null : cell.dataset.line, cell);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

const covers = ({ cell, row, column }, down, across) =>
  down >= row && down < row + cell.rowSpan && across >= column && across < column + cell.colSpan;

/** Returns each cell with the row and column that it begins in, which spans before it may have moved. */
function placesOf(table) {
  const taken = new Set();
  return [...table.rows].flatMap((line, row) => {
    let column = 0;
    return [...line.cells].map((cell) => {
      while (taken.has(`${row} ${column}`)) column += 1;
      for (let down = 0; down < cell.rowSpan; down++)
        for (let across = 0; across < cell.colSpan; across++) taken.add(`${row + down} ${column + across}`);
      return { cell, row, column };
    });
  });
}

function rowsOf(button) {
  const table = button.closest("section").querySelector("table");
  const places = placesOf(table);
  const columns = Math.max(...places.map(({ cell, column }) => column + cell.colSpan));
  const rows = [...table.rows].map(() => Array(columns).fill(""));
  for (const { cell, row, column } of places) rows[row][column] = harmless(cell.querySelector(".text").textContent);
  return rows;
}

// A spreadsheet would run text that begins like a formula. A sign before a number begins none.
const harmless = (text) => (/^[=+\-@\t\r\n]/.test(text) && !/^[-+]\d[\d.,]*$/.test(text) ? `'${text}` : text);
const quoted = (text, needed) => (needed.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const csv = (rows) => `\ufeff${rows.map((row) => `${row.map((text) => quoted(text, /[",\r\n]/)).join(",")}\r\n`).join("")}`;
const tabbed = (rows) => rows.map((row) => row.map((text) => quoted(text, /["\t\r\n]/)).join("\t")).join("\n");

async function copied(button) {
  try {
    await copy(tabbed(rowsOf(button)));
    confirmOn(button, "Copied");
  } catch (error) {
    say(error.message, "bad");
  }
}

function save(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
