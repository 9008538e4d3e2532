// Shows a password to whoever types it, when they ask.

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
  // What is sent is a password again, so that the browser remembers it as one.
  field.form.addEventListener("submit", () => (field.type = "password"));
}
