// Fetches downloads that take a moment to create, so that an error is shown on this page.
import { say } from "../notices.js";

export function watchDownloads() {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-built]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    link.closest("details").open = false;
    const making = say("Preparing the file …", "wait");
    try {
      await fetched(link.href);
    } catch (error) {
      say(error.message, "bad");
    } finally {
      making.remove();
    }
  });
}

async function fetched(url) {
  const response = await fetch(url).catch(() => {
    throw new Error("The server could not be reached. Check your connection and try again.");
  });
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new Error(problem.detail ?? `The server returned error ${response.status}. Try again.`);
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = nameIn(response.headers.get("Content-Disposition") ?? "");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function nameIn(disposition) {
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(disposition)?.[1];
  return encoded ? decodeURIComponent(encoded) : (/filename="([^"]*)"/.exec(disposition)?.[1] ?? "result.pdf");
}
