// The form that filters the list by a field: it offers the comparisons that fit the field, and says what is wrong.

export function watchFieldFilter() {
  const { by_field: field } = document.getElementById("field-filter").elements;
  field.addEventListener("change", offer);
  offer();
}

function offer() {
  const { by_field: field, comparison } = document.getElementById("field-filter").elements;
  const ways = field.selectedOptions[0].dataset.ways.split(" ");
  for (const option of comparison.options) option.hidden = option.disabled = !ways.includes(option.value || "is");
  if (comparison.selectedOptions[0]?.disabled ?? true) comparison.value = "";
}

/** Empties the form for the next filter. What is no filter stays, with the reason beside it. */
export function emptyFieldFilter() {
  const refused = Boolean(document.getElementById("filter-fault").textContent);
  const { value } = document.getElementById("field-filter").elements;
  value.ariaInvalid = refused ? "true" : null;
  if (refused) value.focus();
  else value.value = "";
}
