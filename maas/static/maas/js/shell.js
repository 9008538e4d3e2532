// The script of every page: local times, menus that close, the theme, and messages for failed requests.
import { say } from "./notices.js";
import { watchMoments } from "./times.js";

function watchMenus() {
  const close = (except) => {
    for (const menu of document.querySelectorAll("details[data-menu][open]")) if (menu !== except) menu.open = false;
  };
  document.addEventListener("click", ({ target }) => close(target.closest("details[data-menu]")));
  document.addEventListener("keydown", ({ key }) => {
    const open = key === "Escape" && document.querySelector("details[data-menu][open]");
    if (!open) return;
    open.open = false;
    open.querySelector("summary").focus();
  });
}

// At another width the links behind "More" are in the sidebar, where nothing opens them.
// Data that this tab stores for a person must not be left for the next one.
function watchSigningOut() {
  document.addEventListener("submit", ({ target }) => {
    if (!target.matches("form[data-signs-out]")) return;
    try {
      sessionStorage.clear();
    } catch {
      // Storage is unavailable.
    }
  });
}

function watchWidth() {
  const more = document.getElementById("more-places");
  matchMedia("(max-width: 56rem)").addEventListener("change", () => more?.hidePopover());
}

function watchTheme() {
  const chosen = document.documentElement.dataset.theme ?? "system";
  for (const choice of document.querySelectorAll("input[name=theme]")) {
    choice.checked = choice.value === chosen;
    choice.addEventListener("change", () => adoptTheme(choice.value));
  }
}

function adoptTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Without storage, the choice lasts until the page is left.
  }
}

function watchRequests() {
  document.addEventListener("htmx:sendError", () => {
    say("The server could not be reached. Check your connection and try again.", "bad");
  });
  document.addEventListener("htmx:responseError", ({ detail }) => {
    const { status } = detail.xhr;
    if (status === 401 || status === 403) say("You are signed out or not allowed to do this. Reload the page.", "bad");
    else say(`The server refused this (error ${status}). Reload the page and try again.`, "bad");
  });
  // After the end of a session, the response is the sign-in page, which needs the whole window.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!event.detail.xhr.responseURL.includes("/sign-in")) return;
    event.detail.shouldSwap = false;
    location.reload();
  });
}

watchMoments();
watchMenus();
watchWidth();
watchTheme();
watchSigningOut();
watchRequests();
