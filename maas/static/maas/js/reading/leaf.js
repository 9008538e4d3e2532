// The open page of a document, and callbacks for when it changes.

// A checkbox takes no key but the space bar.
const FIELDS = 'input:not([type="checkbox"]), textarea, select';

export const leaf = () => document.getElementById("leaf");

// After a swap htmx would restore the new page's first CSS classes and remove those set since.
window.htmx.config.attributesToSettle = [];

/** Tells whether the page, or the part beside its picture, was just replaced. */
export const isOfLeaf = ({ detail }) => ["leaf", "words"].includes(detail.target.id);

/** Calls `shown` for the open page and for each later one, and when the part beside its picture changes. */
export function onLeaf(shown) {
  if (leaf()) shown(leaf());
  document.addEventListener("htmx:afterSwap", (event) => {
    if (isOfLeaf(event)) shown(leaf());
  });
}

/** Opens a page at an address such as `?page=3`. */
export function openPage(address) {
  const link = document.createElement("a");
  link.id = "to-page";
  link.href = address;
  link.hidden = true;
  document.getElementById("to-page")?.remove();
  document.getElementById("reader").append(link);
  window.htmx.process(link);
  link.click();
}

/** Reads the part beside the picture again, which a change on the server has made old. */
export const readWordsAgain = () =>
  window.htmx.ajax("GET", location.href, { target: "#words", select: "#words", swap: "outerHTML" });

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
