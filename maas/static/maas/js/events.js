// Follows the event websocket while the page is open, and reports when it cannot.
import { banner } from "./notices.js";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const SIGNED_OUT = 4401;
// A broken connection can look like an idle one, so the server is pinged and must respond.
const QUIET_MS = 15_000;
const ANSWER_MS = 10_000;
const OPENING_MS = 30_000;
const LOOK_EVERY_MS = 2_500;

/** Calls `changed` after each event about the content of this page. */
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
      // The start position is unknown: the page is read again, and events follow from here on.
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
      // A random delay, so that browsers do not reconnect at the same moment after a restart.
      setTimeout(connect, pauseMs * (0.5 + Math.random()));
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  // A job's page continues after the last event that it shows; the list has no such number and is read again.
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

/** Pings an idle websocket, and calls `lost` if it does not respond. */
function watchOver(socket, lost) {
  let heardAt = Date.now();
  let askedAt = heardAt; // The server must report that it is ready.
  let timeoutMs = OPENING_MS;
  const looking = setInterval(() => {
    const now = Date.now();
    if (askedAt && now - askedAt > timeoutMs) {
      lost();
      socket.close(); // Closing may take a minute if the server does not respond.
    } else if (!askedAt && now - heardAt > QUIET_MS) {
      askedAt = now;
      socket.send('{"ping": true}');
    }
  }, LOOK_EVERY_MS);
  function heard() {
    heardAt = Date.now();
    askedAt = null;
    timeoutMs = ANSWER_MS;
  }
  return { heard, end: () => clearInterval(looking) };
}
