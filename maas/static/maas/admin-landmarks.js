// Adds a main landmark to the theme's pages, for screen readers.
document.addEventListener("DOMContentLoaded", () => document.querySelector("#main")?.setAttribute("role", "main"));
