// Shows the password to whoever types it, when they ask.

const button = document.getElementById("show-password");
const field = document.getElementById(button.getAttribute("aria-controls"));

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
