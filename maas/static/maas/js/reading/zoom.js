// Zoom by buttons, keys and wheel; drag to move. The zoom stays from page to page.
import { onLeaf, typing } from "./leaf.js";

const STEP = 1.25;
const LEAST = 0.2;
const MOST = 8;
const FIRM_PX = 4;

let zoom = 1;
let wholePage = false;

const stage = () => document.getElementById("stage");
const sheet = () => stage()?.querySelector(".sheet");

export function watchZoom() {
  onLeaf(apply);
  addEventListener("resize", apply);
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-zoom]");
    if (button) actions[button.dataset.zoom]();
  });
  document.addEventListener("keydown", (event) => {
    const wanted = { "+": "in", "=": "in", "-": "out", 0: "width" }[event.key];
    if (!wanted || !stage() || typing(event)) return;
    event.preventDefault();
    actions[wanted]();
  });
  // Not passive, or the browser would zoom the whole page.
  document.addEventListener("wheel", wheeled, { passive: false });
  document.addEventListener("pointerdown", grabbed);
}

const actions = {
  in: () => zoomBy(STEP),
  out: () => zoomBy(1 / STEP),
  width: () => choose(1),
  page: () => choose(1, true),
};

function choose(value, whole = false) {
  zoom = value;
  wholePage = whole;
  apply();
}

function apply() {
  if (!sheet()) return;
  if (wholePage) zoom = fitting();
  sheet().style.width = `${100 * zoom}%`;
  stage().classList.toggle("larger", zoom > 1);
  document.getElementById("zoom").textContent = zoom === 1 ? "Fit" : `${Math.round(100 * zoom)} %`;
}

function fitting() {
  const picture = sheet().querySelector("img");
  const [high, wide] = [picture.getAttribute("height"), picture.getAttribute("width")].map(Number);
  return Math.min(1, (stage().clientHeight * wide) / (stage().clientWidth * high));
}

/** Keeps the point under the pointer in place, or else the center. */
function zoomBy(factor, x, y) {
  const around = stage()?.getBoundingClientRect();
  if (!around) return;
  const [atX, atY] = [x ?? around.left + around.width / 2, y ?? around.top + around.height / 2];
  const before = sheet().getBoundingClientRect();
  const [shareX, shareY] = [(atX - before.left) / before.width, (atY - before.top) / before.height];
  choose(Math.min(MOST, Math.max(LEAST, zoom * factor)));
  const after = sheet().getBoundingClientRect();
  stage().scrollBy({
    left: after.left + shareX * after.width - atX,
    top: after.top + shareY * after.height - atY,
    behavior: "instant",
  });
}

function wheeled(event) {
  if (!event.ctrlKey || !event.target.closest?.("#stage")) return;
  event.preventDefault();
  zoomBy(Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
}

function grabbed(down) {
  const box = down.target.closest?.("#stage");
  if (!box || down.button !== 0 || down.pointerType !== "mouse") return;
  const [left, top] = [box.scrollLeft, box.scrollTop];
  box.classList.remove("panned");
  const move = (event) => {
    const [byX, byY] = [event.clientX - down.clientX, event.clientY - down.clientY];
    if (Math.hypot(byX, byY) > FIRM_PX) box.classList.add("panned");
    if (box.classList.contains("panned")) box.scrollTo({ left: left - byX, top: top - byY, behavior: "instant" });
  };
  addEventListener("pointermove", move);
  // The click that ends a drag comes after this; from then on a line may be clicked again.
  const drop = () => {
    removeEventListener("pointermove", move);
    setTimeout(() => box.classList.remove("panned"));
  };
  addEventListener("pointerup", drop, { once: true });
}
