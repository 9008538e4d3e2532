// What every page does: times in the reader's zone, menus that close, the theme, and words for requests that failed.
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

// At another width the links behind "More" stand in the sidebar, where nothing opens them.
// What this tab keeps for a person is not for the next one.
function watchSigningOut() {
  document.addEventListener("submit", ({ target }) => {
    if (!target.matches("form[data-signs-out]")) return;
    try {
      sessionStorage.clear();
    } catch {
      // Nothing is kept, then.
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
    // Then it lasts as long as this page.
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
  // A session that ended answers with the sign-in page: that belongs in the whole window, not in a part of it.
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
