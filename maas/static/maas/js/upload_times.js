// By when what is sent must be done: the two fields behind "More options".
import { readSpan } from "./spans.js";

const fieldsOf = (form) => [form.expires_after, form.cancel_after];

export function watchTimes(form) {
  const menu = form.querySelector("details.times");
  for (const field of fieldsOf(form)) {
    field.addEventListener("input", () => show(form, field));
    // Enter would send the address beside it.
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      if (field.ariaInvalid === "true") return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });
  }
  show(form);
}

/** `expiresAfterS` and `cancelAfterS`, null for never; throws an Error for the person, with the field in focus. */
export function timesOf(form) {
  const [expiresAfterS, cancelAfterS] = fieldsOf(form).map((field) => {
    try {
      return readSpan(field.value);
    } catch (error) {
      form.querySelector("details.times").open = true;
      field.ariaInvalid = "true";
      field.focus();
      throw error;
    }
  });
  return { expiresAfterS, cancelAfterS };
}

function show(form, changed = null) {
  changed?.removeAttribute("aria-invalid");
  const used = fieldsOf(form).filter(({ value }) => value.trim()).length;
  document.getElementById("times-used").textContent = used ? ` (${used})` : "";
}
