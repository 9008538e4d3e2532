// Error pages: a link back and a countdown to the next attempt.
import { watchCopies } from "./copy.js";

const LONGEST_PAUSE_S = 30;

function offerBack() {
  const back = document.getElementById("back");
  if (!back || history.length < 2 || !document.referrer.startsWith(location.origin)) return;
  back.hidden = false;
  back.addEventListener("click", () => history.back());
}

const inWords = (seconds) =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;

// Returns the seconds to wait. The wait doubles with each attempt of a page that retries by itself.
function retryDelay(seconds) {
  const place = `tries ${location.pathname}`;
  const tries = Number(sessionStorage.getItem(place)) || 0;
  sessionStorage.setItem(place, tries + 1);
  return Math.min(Math.max(seconds, 2 ** tries), Math.max(seconds, LONGEST_PAUSE_S));
}

function countDown() {
  const line = document.getElementById("countdown");
  if (!line) return;
  const again = document.getElementById("again");
  const byItself = "byItself" in line.dataset;
  const seconds = byItself ? retryDelay(Number(line.dataset.seconds)) : Number(line.dataset.seconds);
  const end = Date.now() + seconds * 1000;
  if (!byItself && again) again.hidden = true;
  const tick = () => {
    const left = Math.ceil((end - Date.now()) / 1000);
    line.textContent = left > 0 ? `${byItself ? "Retrying" : "Try again"} in ${inWords(left)}.` : "You can try again now.";
    if (left > 0) return;
    clearInterval(timer);
    if (again) again.hidden = false;
    if (byItself && again) location.replace(again.href);
  };
  const timer = setInterval(tick, 1000);
  tick();
}

offerBack();
countDown();
watchCopies();
