// Requests to this server as the signed-in person.

// The token is in the sign-out form, which is on every page of a signed-in person.
const csrfToken = () => document.querySelector("input[name=csrfmiddlewaretoken]").value;

export const tenantOf = (page) => page.querySelector("meta[name=tenant]")?.content ?? "";

/** Headers of every changing request: the CSRF token and the account that this page shows. */
export const pageHeaders = () => ({ "X-CSRFToken": csrfToken(), "X-Tenant": tenantOf(document) });

/** Returns the response's JSON. Throws an Error with a message for the person and the response's `status`, if any. */
export async function post(url, body, headers = {}, signal = undefined) {
  return ask(url, { method: "POST", body, headers: { ...headers, ...pageHeaders() }, signal });
}

export async function postJson(url, value, headers = {}, signal = undefined) {
  return post(url, JSON.stringify(value), { ...headers, "Content-Type": "application/json" }, signal);
}

export async function putJson(url, value) {
  const headers = { "Content-Type": "application/json", ...pageHeaders() };
  return ask(url, { method: "PUT", body: JSON.stringify(value), headers });
}

export async function remove(url) {
  return ask(url, { method: "DELETE", headers: pageHeaders() });
}

export async function get(url, signal = undefined) {
  return ask(url, { signal });
}

async function ask(url, options) {
  let response;
  try {
    response = await fetch(url, options);
  } catch {
    throw unreachable();
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw refusal(response.status, answer);
}

export function unreachable() {
  return refused("The server could not be reached. Check your connection and try again.", 0);
}

/** Returns an Error with the server's message, and `retryAfterMs` if retrying helps. */
export function refusal(status, problem) {
  const error = refused(inWords(status, problem), status);
  error.code = problem.code;
  error.retryAfterMs = (problem.retry_after_s ?? 0) * 1_000;
  return error;
}

function refused(words, status) {
  return Object.assign(new Error(words), { status });
}

function inWords(status, problem) {
  if (status === 401) return "You are signed out. Reload the page and sign in.";
  if (problem.detail) return problem.detail;
  return `The server returned error ${status}. Try again.`;
}
