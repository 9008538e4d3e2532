// Follows the event socket for as long as the page is open.

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const SIGNED_OUT = 4401;

/** Calls `changed` whenever something has happened to what this page shows. */
export function followEvents(changed) {
  let pauseMs = FIRST_PAUSE_MS;

  function connect() {
    const socket = new WebSocket(`${location.origin.replace("http", "ws")}/ws/v1/events`);
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === "ready") {
        pauseMs = FIRST_PAUSE_MS;
        begin(socket);
      }
      if (message.type === "event") changed();
    };
    socket.onclose = ({ code }) => {
      if (code === SIGNED_OUT) return;
      // Not all browsers at the same moment, when a server comes back.
      setTimeout(connect, pauseMs * (0.5 + Math.random()));
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    };
  }

  // A job's page goes on from the last event it shows; the list has no such number and is read again.
  function begin(socket) {
    const { follow, seq } = document.querySelector("[data-follow]").dataset;
    if (follow === "all") changed();
    else socket.send(JSON.stringify({ subscribe: follow, after: Number(seq) }));
  }

  connect();
}
