// Follows the event socket for as long as the page is open, and says when it cannot.
import { banner } from "./notices.js";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const SIGNED_OUT = 4401;

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
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === "ready") begin(socket);
      if (message.type === "event") changed();
      if (message.retry_after_ms) pauseMs = message.retry_after_ms;
    };
    socket.onclose = ({ code }) => {
      if (leaving) return;
      takeBack?.();
      takeBack = banner(
        code === SIGNED_OUT
          ? "You are signed out by now. Load the page again and sign in."
          : "Connection lost, trying again … What is under way goes on meanwhile.",
      );
      if (code === SIGNED_OUT) return;
      // Not all browsers at the same moment, when a server comes back.
      setTimeout(connect, pauseMs * (0.5 + Math.random()));
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    };
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
