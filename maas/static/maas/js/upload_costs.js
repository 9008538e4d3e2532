// Before processing: the price of the chosen model, and whether to show the price of each document first.
import { example } from "./costs.js";

const KEPT = "upload-ask-first";

export function watchCosts(form) {
  const line = document.getElementById("cost");
  let asking = new AbortController();
  const show = async () => {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    try {
      const { words, exact } = await example(form.dataset.estimate, form.model.value, meterOf(form), signal);
      if (signal.aborted) return;
      line.textContent = words;
      line.title = exact;
    } catch {
      // The price is beside the model's name; an error message would not help.
      if (!signal.aborted) line.textContent = "";
    }
  };
  form.model.addEventListener("change", show);
  rememberChoice(form.ask_first);
  show();
}

export const meterOf = (form) => form.model.selectedOptions[0].dataset.meter;

function rememberChoice(box) {
  try {
    box.checked = localStorage.getItem(KEPT) === "yes";
  } catch {
    // Then it starts unchecked.
  }
  box.addEventListener("change", () => {
    try {
      localStorage.setItem(KEPT, box.checked ? "yes" : "no");
    } catch {
      // Without storage, the choice lasts until the page is left.
    }
  });
}
