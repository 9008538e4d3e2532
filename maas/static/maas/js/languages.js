// Selects the language of code samples. The browser remembers it.

const LANGUAGE = "playground-language";

export function rememberLanguage() {
  const choices = document.querySelectorAll("input[name=language]");
  try {
    for (const choice of choices) {
      if (choice.value === localStorage.getItem(LANGUAGE)) choice.checked = true;
      choice.addEventListener("change", () => localStorage.setItem(LANGUAGE, choice.value));
    }
  } catch {
    // Without storage, the language is chosen again on each page.
  }
}
