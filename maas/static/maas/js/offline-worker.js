// Caches the offline page and its parts only. No page of a signed-in person is ever stored here.
// The server inserts VERSION and PARTS above this text.

const CACHE = `offline-${VERSION}`;
const PAGE = "/offline";

self.addEventListener("install", (event) => {
  // All parts or none: the worker is installed only when all are cached.
  const fresh = [PAGE, ...PARTS].map((part) => new Request(part, { cache: "reload", credentials: "omit" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)));
  // A new worker may replace an old one at any time, because it shares nothing with the pages.
  self.skipWaiting();
});

self.addEventListener("activate", (event) => {
  event.waitUntil(takeOver());
});

async function takeOver() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("offline-") && name !== CACHE).map((name) => caches.delete(name)));
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const { origin, pathname, search } = new URL(request.url);
  if (request.mode === "navigate") event.respondWith(pageOrOffline(event));
  else if (origin === self.location.origin && PARTS.includes(pathname + search)) event.respondWith(kept(request));
});

async function pageOrOffline(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (error) {
    const page = await caches.match(PAGE);
    if (!page) throw error;
    return page;
  }
}

async function kept(part) {
  return (await caches.match(part)) ?? fetch(part);
}
