// The menu "Options": the number of options in use, and the two deadlines of processing.
import { readSpan } from "./spans.js";

const timeFields = (form) => [form.expires_after, form.cancel_after];

export function watchOptions(form) {
  const menu = form.querySelector("details.options");
  menu.addEventListener("input", () => showUsed(form));
  for (const field of timeFields(form)) {
    field.addEventListener("input", () => field.removeAttribute("aria-invalid"));
    // Otherwise Enter would submit the URL below it.
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      if (field.ariaInvalid !== "true") closeOptions(form);
    });
  }
  showUsed(form);
}

/** Returns the focus to the button if it was inside. */
export function closeOptions(form) {
  const menu = form.querySelector("details.options");
  if (menu.open && menu.contains(document.activeElement)) menu.querySelector("summary").focus();
  menu.open = false;
}

/** Returns `expiresAfterS` and `cancelAfterS`, null for never. Throws an Error and focuses the wrong field. */
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
  const { priority, class_set: classSet, ask_first: askFirst, attachments } = form;
  const usual = ({ options }) => Math.max(0, [...options].findIndex(({ defaultSelected }) => defaultSelected));
  const changed = (menu) => menu && menu.selectedIndex !== usual(menu);
  const used = [changed(priority), changed(classSet), askFirst.checked, !attachments.checked, ...timeFields(form).map(({ value }) => value.trim())];
  const count = used.filter(Boolean).length;
  document.getElementById("options-used").textContent = count ? ` (${count})` : "";
}
