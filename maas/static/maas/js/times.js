// Shows times in the reader's time zone, in the server's format. The title keeps UTC.

const options = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
const local = new Intl.DateTimeFormat("en-US", options);
const utc = new Intl.DateTimeFormat("en-US", { ...options, timeZone: "UTC" });
const FORMS = {
  day: (at) => `${at.day} ${at.month} ${at.year}`,
  minute: (at) => `${FORMS.day(at)}, ${at.hour}:${at.minute}`,
  second: (at) => `${FORMS.minute(at)}:${at.second}`,
  clock: (at) => `${at.hour}:${at.minute}:${at.second}`,
};

export function momentText(at, form = "minute", zone = local) {
  return FORMS[form](Object.fromEntries(zone.formatToParts(at).map(({ type, value }) => [type, value])));
}

/** Formats a day that is the same in every zone, such as 2026-11-27. */
export const dayText = (day) => momentText(new Date(day), "day", utc);

export function showMoments(root) {
  for (const time of root.querySelectorAll("time[data-moment]")) {
    time.textContent = momentText(new Date(time.dateTime), time.dataset.moment);
  }
}

/** Converts the times on the page, and those added later before they are painted. */
export function watchMoments() {
  showMoments(document);
  new MutationObserver((changes) => {
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node instanceof Element);
    for (const element of added) if (element.parentElement) showMoments(element.parentElement);
  }).observe(document.body, { childList: true, subtree: true });
}
