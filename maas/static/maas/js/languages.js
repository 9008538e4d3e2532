// The language in which code is shown, remembered by the browser.

const LANGUAGE = "playground-language";

export function rememberLanguage() {
  const choices = document.querySelectorAll("input[name=language]");
  try {
    for (const choice of choices) {
      if (choice.value === localStorage.getItem(LANGUAGE)) choice.checked = true;
      choice.addEventListener("change", () => localStorage.setItem(LANGUAGE, choice.value));
    }
  } catch {
    // Then it is chosen anew on each page.
  }
}
