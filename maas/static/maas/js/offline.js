// Registers the worker that answers while the server cannot. Browsers have it over HTTPS and on localhost.
if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register("/service-worker.js", { updateViaCache: "none" }).catch(() => {
    // Some browsers refuse it in private windows; then they show their own page when there is no connection.
  });
}
