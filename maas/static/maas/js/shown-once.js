// A page that is shown only once as the response to a form.

/** Reloading this page must not send the form again, and going back must not show the key. */
export function forgetForm() {
  const once = document.querySelector("[data-shown-once]");
  if (once) history.replaceState(null, "", once.dataset.shownOnce);
}
