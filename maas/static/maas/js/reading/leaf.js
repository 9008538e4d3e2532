// The open page of a document, and callbacks for when it changes.

// A checkbox takes no key but the space bar.
const FIELDS = 'input:not([type="checkbox"]), textarea, select';

export const leaf = () => document.getElementById("leaf");

// After a swap htmx would restore the new page's first CSS classes and remove those set since.
window.htmx.config.attributesToSettle = [];

/** Calls `shown` for the open page and for each later one. */
export function onLeaf(shown) {
  if (leaf()) shown(leaf());
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target.id === "leaf") shown(leaf());
  });
}

/** Tells whether keys are meant for a field or menu and not for the page. */
export const typing = ({ target, ctrlKey, metaKey, altKey }) =>
  ctrlKey || metaKey || altKey || target.closest(`${FIELDS}, details[open], dialog`) !== null;

/** Scrolls only the box around `element`, or the window if that box does not scroll. */
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
