// Shows the typed password on request.

for (const button of document.querySelectorAll("[data-shows]")) {
  const field = document.getElementById(button.dataset.shows);
  button.hidden = false;
  button.addEventListener("click", () => {
    const shown = field.type === "password";
    field.type = shown ? "text" : "password";
    button.textContent = shown ? "Hide" : "Show";
    button.setAttribute("aria-pressed", String(shown));
    field.focus();
  });
  // The field becomes a password again before it is sent, so that the browser remembers it.
  field.form.addEventListener("submit", () => (field.type = "password"));
}
