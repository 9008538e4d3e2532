// The keys' own pages: questions are asked in a dialog, and a new key leaves with its page.
import { watchCopies } from "./copy.js";

function watchDialog() {
  const dialog = document.getElementById("dialog");
  if (!dialog) return;
  dialog.addEventListener("htmx:afterSwap", () => dialog.showModal());
  dialog.addEventListener("click", (event) => {
    if (!event.target.closest("[data-close]")) return;
    event.preventDefault();
    dialog.close();
  });
}

// Loading this page again must not send the form again, and going back must not show the key.
function forgetForm() {
  const once = document.querySelector("[data-shown-once]");
  if (once) history.replaceState(null, "", once.dataset.shownOnce);
}

watchDialog();
watchCopies();
forgetForm();
