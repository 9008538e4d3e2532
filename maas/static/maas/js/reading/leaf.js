// The page that is open, and how the others hear that it is another one.

// A box to tick takes no keys but the space bar.
const FIELDS = 'input:not([type="checkbox"]), textarea, select';

export const leaf = () => document.getElementById("leaf");

// After a swap htmx would give the new page the classes of its first moment back, and take away what was set since.
window.htmx.config.attributesToSettle = [];

/** Calls `shown` for the page that is open, and for each that is opened in its place. */
export function onLeaf(shown) {
  if (leaf()) shown(leaf());
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target.id === "leaf") shown(leaf());
  });
}

/** Whether keys are meant for a field or a menu rather than for the page. */
export const typing = ({ target, ctrlKey, metaKey, altKey }) =>
  ctrlKey || metaKey || altKey || target.closest(`${FIELDS}, details[open], dialog`) !== null;

/** Scrolls the box around `element` alone, and the window only where that box does not scroll. */
export function reveal(element, box) {
  if (!element) return;
  const smooth = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
  if (!box || box.scrollHeight <= box.clientHeight + 1) {
    element.scrollIntoView({ block: "nearest", behavior: smooth });
    return;
  }
  const inner = element.getBoundingClientRect();
  const outer = box.getBoundingClientRect();
  const beyond = (start, end, from, to) => (start < from || end > to ? (start + end - from - to) / 2 : 0);
  box.scrollBy({
    top: beyond(inner.top, inner.bottom, outer.top, outer.bottom),
    left: beyond(inner.left, inner.right, outer.left, outer.right),
    behavior: smooth,
  });
}
