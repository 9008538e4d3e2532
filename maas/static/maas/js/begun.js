// Remembers large uploads that this browser has started for this account, so that they continue after a reload.
import { tenantOf } from "./requests.js";

export const markOf = (file) => `${file.name}/${file.size}/${file.lastModified}`;
const prefix = () => `begun-upload/${tenantOf(document)}/`;

export function remember(id, file) {
  try {
    localStorage.setItem(prefix() + id, markOf(file));
  } catch {
    // Without storage, an upload starts again after a reload.
  }
}

export function forget(id) {
  try {
    localStorage.removeItem(prefix() + id);
  } catch {
    // Storage is unavailable.
  }
}

/** Holds a lock during `work`, so that other tabs know. Over plain HTTP there are no locks. */
export function hold(id, work) {
  return navigator.locks ? navigator.locks.request(prefix() + id, work) : work();
}

/** Returns the ids of uploads that any tab is sending. */
export async function held() {
  const locks = (await navigator.locks?.query())?.held ?? [];
  return new Set(locks.map(({ name }) => name.slice(prefix().length)));
}

/** Returns all started uploads, oldest first, or those of the same file. */
export function remembered(file = null) {
  try {
    const found = Object.keys(localStorage).filter((key) => key.startsWith(prefix()));
    const of = file ? found.filter((key) => localStorage.getItem(key) === markOf(file)) : found;
    return of.sort().map((key) => ({ id: key.slice(prefix().length), mark: localStorage.getItem(key) }));
  } catch {
    return [];
  }
}
