// Registers the service worker that responds while the server is unavailable. It needs HTTPS or localhost.
if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register("/service-worker.js", { updateViaCache: "none" }).catch(() => {
    // Some browsers refuse service workers in private windows and show their own error page.
  });
}
