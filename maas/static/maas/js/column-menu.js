// The menu that chooses the columns of the list. The choice stays in this browser; the server reads that of fields.
import { say } from "./notices.js";

const root = document.documentElement;
const YEAR_S = 365 * 24 * 3600;

export function watchColumns() {
  const menu = document.getElementById("columns");
  const boxes = [...menu.querySelectorAll("input:not([data-field])")];
  const fields = [...menu.querySelectorAll("input[data-field]")];
  const hidden = root.dataset.hiddenColumns.split(" ");
  for (const box of boxes) box.checked = !hidden.includes(box.value);
  menu.hidden = false;
  menu.addEventListener("change", ({ target }) => {
    if (target.matches("[data-field]")) keepFields(fields, target);
    else keep(boxes.filter((box) => !box.checked).map((box) => box.value));
  });
}

function keep(hidden) {
  root.dataset.hiddenColumns = hidden.join(" ");
  try {
    localStorage.setItem("hidden-columns", root.dataset.hiddenColumns);
  } catch {
    // Without storage, the choice ends with this page.
  }
}

function keepFields(fields, changed) {
  const chosen = fields.filter((box) => box.checked).map((box) => box.value);
  const most = Number(document.getElementById("columns").dataset.mostFields);
  if (chosen.length > most) {
    changed.checked = false;
    say(`At most ${most} fields are columns. Hide another one first.`, "wait");
    return;
  }
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `field-columns=${encodeURIComponent(chosen.join(" "))}; path=/jobs; max-age=${YEAR_S}; samesite=lax${secure}`;
  window.htmx.ajax("GET", location.href, { target: "#jobs", swap: "outerHTML" });
}
