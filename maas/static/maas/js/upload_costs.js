// Before documents are read: what the chosen model's price comes to, and whether to ask for each what it costs.
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
      // The price stands beside the model's name; a line of trouble would help nobody.
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
    // Then it begins unchosen.
  }
  box.addEventListener("change", () => {
    try {
      localStorage.setItem(KEPT, box.checked ? "yes" : "no");
    } catch {
      // Then it lasts as long as this page.
    }
  });
}
