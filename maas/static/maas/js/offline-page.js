// Checks whether the server is back, and then loads the requested page.

const PAUSES_S = [2, 3, 5, 8, 15];
const TIMEOUT_MS = 5_000;

const line = document.getElementById("trying");
let tries = 0;
let nextAt = 0;

async function attempt() {
  nextAt = Infinity;
  try {
    const answer = await fetch("/livez", { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (answer.ok) {
      location.reload();
      return;
    }
  } catch {
    // The server is still unavailable.
  }
  nextAt = Date.now() + (PAUSES_S[tries++] ?? 30) * 1000;
}

function tick() {
  const left = Math.ceil((nextAt - Date.now()) / 1000);
  if (left <= 0) attempt();
  else if (Number.isFinite(left)) line.textContent = `Retrying in ${left} s. This page reloads when the server answers.`;
  else line.textContent = "Connecting …";
}

document.getElementById("now").addEventListener("click", attempt);
addEventListener("online", attempt);
setInterval(tick, 1000);
