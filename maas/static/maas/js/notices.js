// Short messages in the corner of the page, announced by screen readers.

const SHOWN_MS = 8_000;

/** `kind` is good, bad, wait or empty. Bad notices stay until they are closed. */
export function say(words, kind = "") {
  const toast = show(words, kind);
  const close = document.createElement("button");
  close.type = "button";
  close.className = "quiet small";
  close.textContent = "Close";
  close.addEventListener("click", () => toast.remove());
  toast.append(close);
  if (kind !== "bad") setTimeout(() => toast.remove(), SHOWN_MS);
  return toast;
}

/** Shows a message until the returned function is called. */
export function banner(words) {
  const toast = show(words, "wait");
  return () => toast.remove();
}

function show(words, kind) {
  const toast = document.createElement("div");
  toast.className = `toast ${kind}`;
  const text = document.createElement("span");
  text.textContent = words;
  toast.append(text);
  document.getElementById("notices").append(toast);
  return toast;
}
