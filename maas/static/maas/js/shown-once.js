// What is shown only once is the answer to a form.

/** Loading this page again must not send the form again, and going back must not show the key. */
export function forgetForm() {
  const once = document.querySelector("[data-shown-once]");
  if (once) history.replaceState(null, "", once.dataset.shownOnce);
}
