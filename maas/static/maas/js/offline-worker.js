// Keeps the offline page and its parts, and nothing else: no page of a signed-in person is ever stored here.
// VERSION and PARTS stand in front of this when it is served.

const CACHE = `offline-${VERSION}`;
const PAGE = "/offline";

self.addEventListener("install", (event) => {
  // Complete or not at all: a worker with half of its parts would never be installed.
  const fresh = [PAGE, ...PARTS].map((part) => new Request(part, { cache: "reload", credentials: "omit" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)));
  // It shares nothing with the pages, so that a new one may take over from an old one at any time.
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
