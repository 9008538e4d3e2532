// Sends bytes with progress, which fetch cannot report.
import { pageHeaders, refusal, unreachable } from "./requests.js";

/** Resolves with the finished request and rejects like `post`. Calls `onSent(bytes)` meanwhile; `signal` aborts it. */
export function transfer(method, url, body, { headers = {}, onSent, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries({ ...headers, ...pageHeaders() })) request.setRequestHeader(name, value);
    request.responseType = "json";
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(request);
      else reject(refusal(request.status, request.response ?? {}));
    };
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

/** Sends a form with `fields` before the file. */
export async function sendFile(url, file, { fields = {}, headers = {}, onSent, signal }) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append("file", file, file.name);
  // The form around the file has some bytes of its own.
  const request = await transfer("POST", url, body, { headers, onSent: (sent) => onSent(Math.min(sent, file.size)), signal });
  return request.response ?? {};
}
