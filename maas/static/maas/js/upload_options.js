// The menu behind "Options": how many of them are in use, and the two times by which files must be processed.
import { readSpan } from "./spans.js";

const timeFields = (form) => [form.expires_after, form.cancel_after];

export function watchOptions(form) {
  const menu = form.querySelector("details.options");
  menu.addEventListener("input", () => showUsed(form));
  for (const field of timeFields(form)) {
    field.addEventListener("input", () => field.removeAttribute("aria-invalid"));
    // Enter would send the address below it.
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      if (field.ariaInvalid !== "true") closeOptions(form);
    });
  }
  showUsed(form);
}

/** Gives the focus back to the button if it was inside. */
export function closeOptions(form) {
  const menu = form.querySelector("details.options");
  if (menu.open && menu.contains(document.activeElement)) menu.querySelector("summary").focus();
  menu.open = false;
}

/** `expiresAfterS` and `cancelAfterS`, null for never; throws an Error for the person, with the field in focus. */
export function timesOf(form) {
  const [expiresAfterS, cancelAfterS] = timeFields(form).map((field) => {
    try {
      return readSpan(field.value);
    } catch (error) {
      form.querySelector("details.options").open = true;
      field.ariaInvalid = "true";
      field.focus();
      throw error;
    }
  });
  return { expiresAfterS, cancelAfterS };
}

function showUsed(form) {
  const { priority, ask_first: askFirst } = form;
  const usual = [...priority.options].find(({ defaultSelected }) => defaultSelected)?.value;
  const used = [priority.value !== usual, askFirst.checked, ...timeFields(form).map(({ value }) => value.trim())];
  const count = used.filter(Boolean).length;
  document.getElementById("options-used").textContent = count ? ` (${count})` : "";
}
