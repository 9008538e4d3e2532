// Which large files this browser has begun to send for this account, so that a reload loses none of what is there.
import { tenantOf } from "./requests.js";

export const markOf = (file) => `${file.name}/${file.size}/${file.lastModified}`;
const prefix = () => `begun-upload/${tenantOf(document)}/`;

export function remember(id, file) {
  try {
    localStorage.setItem(prefix() + id, markOf(file));
  } catch {
    // A browser that keeps nothing begins anew after a reload.
  }
}

export function forget(id) {
  try {
    localStorage.removeItem(prefix() + id);
  } catch {
    // Nothing was kept.
  }
}

/** While `work` goes on, other tabs know. They do not where the page came over plain HTTP: then there are no locks. */
export function hold(id, work) {
  return navigator.locks ? navigator.locks.request(prefix() + id, work) : work();
}

/** The ids of those that any tab is at. */
export async function held() {
  const locks = (await navigator.locks?.query())?.held ?? [];
  return new Set(locks.map(({ name }) => name.slice(prefix().length)));
}

/** All of them, oldest first, or those that the same file was begun as. */
export function remembered(file = null) {
  try {
    const found = Object.keys(localStorage).filter((key) => key.startsWith(prefix()));
    const of = file ? found.filter((key) => localStorage.getItem(key) === markOf(file)) : found;
    return of.sort().map((key) => ({ id: key.slice(prefix().length), mark: localStorage.getItem(key) }));
  } catch {
    return [];
  }
}
