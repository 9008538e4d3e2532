// Requests of the playground to the API as the signed-in person. Refusals become errors with a code and a message.
import { pageHeaders } from "./requests.js";

const SIGNED_OUT = "You are signed out. Reload the page and sign in.";
const UNREACHABLE = "The server could not be reached. Check your connection and try again.";

export class Refused extends Error {
  /** `code` is the API's, or "unreachable". */
  constructor(code, detail, retryAfterS = 0) {
    super(detail);
    Object.assign(this, { code, detail, retryAfterS });
  }
}

export async function ask(url, options = {}) {
  let response;
  try {
    response = await fetch(url, { ...options, headers: { ...pageHeaders(), ...options.headers } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("unreachable", UNREACHABLE);
  }
  return answerOf(response.status, await response.text(), response.headers.get("Retry-After"));
}

/** Sends a POST like `ask` and reports its progress, which `fetch` cannot. */
export function send(url, { body, headers, signal, sent }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    for (const [name, value] of Object.entries({ ...pageHeaders(), ...headers })) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => event.lengthComputable && sent(event.loaded / event.total);
    request.onload = () => {
      try {
        resolve(answerOf(request.status, request.responseText, request.getResponseHeader("Retry-After")));
      } catch (refusal) {
        reject(refusal);
      }
    };
    request.onerror = () => reject(new Refused("unreachable", UNREACHABLE));
    request.onabort = () => reject(new DOMException("", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

function answerOf(status, text, retryAfter) {
  const answer = parsed(text);
  if (status >= 200 && status < 300) return answer;
  if (status === 401) throw new Refused("not_authenticated", SIGNED_OUT);
  const detail = answer.detail ?? `The server returned error ${status}. Try again.`;
  throw new Refused(answer.code ?? "", detail, Number(retryAfter) || 0);
}

function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
