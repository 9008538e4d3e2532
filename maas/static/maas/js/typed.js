// Tells whether a person has typed or chosen something that loading the page again would lose.

/** Returns whether a field differs from how the page came, or is being typed into. */
export function isAnythingTyped(part) {
  const writing = document.activeElement;
  if (part.contains(writing) && writing.matches("textarea, input:not([type=checkbox], [type=radio])")) return true;
  return [...part.querySelectorAll("input, select, textarea")].some(isChanged);
}

function isChanged(field) {
  if (field instanceof HTMLSelectElement) return field.selectedIndex !== cameWith(field);
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}

// Without a choice in the page, a browser chooses the first.
const cameWith = ({ options }) => Math.max([...options].findIndex(({ defaultSelected }) => defaultSelected), 0);
