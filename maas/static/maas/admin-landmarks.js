// The theme's pages name no main part; whoever hears them rather than sees them jumps to it.
document.addEventListener("DOMContentLoaded", () => document.querySelector("#main")?.setAttribute("role", "main"));
