// Follows the event socket for as long as the page is open, and says when it cannot.
import { banner } from "./notices.js";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const SIGNED_OUT = 4401;
// A connection that was cut without a word looks like one on which nothing happens: it is asked, and has to answer.
const QUIET_MS = 15_000;
const ANSWER_MS = 10_000;
const OPENING_MS = 30_000;
const LOOK_EVERY_MS = 2_500;

/** Calls `changed` whenever something has happened to what this page shows. */
export function followEvents(changed) {
  let pauseMs = FIRST_PAUSE_MS;
  let takeBack = null;
  let leaving = false;
  addEventListener("pagehide", () => (leaving = true));
  addEventListener("pageshow", () => {
    if (leaving) connect();
    leaving = false;
  });

  function connect() {
    const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ws/v1/events`);
    const watch = watchOver(socket, lost);
    socket.onmessage = ({ data }) => {
      watch.heard();
      const message = JSON.parse(data);
      if (message.type === "ready") begin(socket);
      if (message.type === "event") changed();
      // What it was to begin with was not told: what is shown is read afresh, and from here on all is told.
      if (message.type === "error") changed();
      if (message.retry_after_ms) pauseMs = message.retry_after_ms;
    };
    socket.onclose = ({ code }) => lost(code);

    function lost(code) {
      watch.end();
      socket.onmessage = socket.onclose = null;
      if (leaving) return;
      takeBack?.();
      takeBack = banner(
        code === SIGNED_OUT
          ? "You are signed out. Reload the page and sign in."
          : "Connection lost, reconnecting … Running jobs continue.",
      );
      if (code === SIGNED_OUT) return;
      // Not all browsers at the same moment, when a server comes back.
      setTimeout(connect, pauseMs * (0.5 + Math.random()));
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  // A job's page goes on from the last event it shows; the list has no such number and is read again.
  function begin(socket) {
    pauseMs = FIRST_PAUSE_MS;
    takeBack?.();
    takeBack = null;
    const { follow, seq } = document.querySelector("[data-follow]").dataset;
    if (follow === "all") changed();
    else socket.send(JSON.stringify({ subscribe: follow, after: Number(seq) }));
  }

  connect();
}

/** Asks a socket that has been quiet whether it is still there, and calls `lost` where it does not answer. */
function watchOver(socket, lost) {
  let heardAt = Date.now();
  let askedAt = heardAt; // It is to say that it is ready.
  let patienceMs = OPENING_MS;
  const looking = setInterval(() => {
    const now = Date.now();
    if (askedAt && now - askedAt > patienceMs) {
      lost();
      socket.close(); // Its end may take a minute where nobody is there to agree.
    } else if (!askedAt && now - heardAt > QUIET_MS) {
      askedAt = now;
      socket.send('{"ping": true}');
    }
  }, LOOK_EVERY_MS);
  function heard() {
    heardAt = Date.now();
    askedAt = null;
    patienceMs = ANSWER_MS;
  }
  return { heard, end: () => clearInterval(looking) };
}
