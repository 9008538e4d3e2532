// The pages of API keys: confirmations are shown in a dialog, and a new key is removed with its page.
import { watchCopies } from "./copy.js";
import { forgetForm } from "./shown-once.js";

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

watchDialog();
watchCopies();
forgetForm();
