"""The page that a browser shows while the server cannot be reached, and the service worker that shows it."""
