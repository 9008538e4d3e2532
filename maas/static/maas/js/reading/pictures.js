// Loads the page's picture again if the server was too busy to make it.
const PAUSE_MS = 2_500;
const MAX_RETRIES = 4;

export function watchPictures() {
  // Errors of pictures do not bubble.
  document.addEventListener("error", ({ target }) => {
    if (!target.matches?.("#stage img")) return;
    const retries = Number(target.dataset.retries ?? 0);
    if (retries >= MAX_RETRIES) return;
    target.dataset.retries = retries + 1;
    setTimeout(() => (target.src = target.getAttribute("src")), PAUSE_MS);
  }, true);
}
