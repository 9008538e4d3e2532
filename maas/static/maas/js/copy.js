// Buttons that copy: data-copy names the element whose text is copied.

const SHOWN_MS = 2_000;

export function watchCopies() {
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("button[data-copy]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copy);
    tell(button, (await copied(source)) ? "Copied" : "Press Ctrl+C");
  });
}

async function copied(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    // Over plain HTTP a page has no clipboard, and some browsers ask first; selected text can still be copied.
    getSelection().selectAllChildren(source);
    return document.execCommand("copy");
  }
}

// Keeps the width of the button, so that its neighbors do not move.
function tell(button, words) {
  const label = button.querySelector("span") ?? button;
  button.dataset.label ??= label.textContent;
  button.setAttribute("aria-live", "polite");
  label.textContent = words;
  clearTimeout(Number(button.dataset.timer));
  button.dataset.timer = setTimeout(() => (label.textContent = button.dataset.label), SHOWN_MS);
}
