// The menu that chooses the columns of the list. The choice stays in this browser.
const root = document.documentElement;

export function watchColumns() {
  const menu = document.getElementById("columns");
  const boxes = [...menu.querySelectorAll("input")];
  const hidden = root.dataset.hiddenColumns.split(" ");
  for (const box of boxes) box.checked = !hidden.includes(box.value);
  menu.hidden = false;
  menu.addEventListener("change", () => keep(boxes.filter((box) => !box.checked).map((box) => box.value)));
}

function keep(hidden) {
  root.dataset.hiddenColumns = hidden.join(" ");
  try {
    localStorage.setItem("hidden-columns", root.dataset.hiddenColumns);
  } catch {
    // Without storage, the choice ends with this page.
  }
}
