// Buttons that POST and then show what became of it.
import { post } from "./requests.js";
import { refresh } from "./refresh.js";

export function watchButtons() {
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("button[data-post]");
    if (!button) return;
    button.disabled = true;
    say("");
    try {
      const job = await post(button.dataset.post);
      if (button.dataset.open) location.assign(button.dataset.open + job.id);
      else await refresh();
    } catch (error) {
      say(error.message);
    } finally {
      button.disabled = false;
    }
  });
}

function say(words) {
  const notice = document.getElementById("notice");
  notice.textContent = words;
  notice.hidden = !words;
}
