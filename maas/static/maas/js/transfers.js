// Sends bytes and tells how many of them have left; fetch cannot tell.
import { pageHeaders, refusal, unreachable } from "./requests.js";

/** The request that was answered; rejects as `post` does. `onSent(bytes)` while it goes; `signal` takes it back. */
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

/** In one request, as a form with `fields` before the file. */
export async function sendFile(url, file, { fields = {}, headers = {}, onSent, signal }) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append("file", file, file.name);
  // The form around the file has some bytes of its own.
  const request = await transfer("POST", url, body, { headers, onSent: (sent) => onSent(Math.min(sent, file.size)), signal });
  return request.response ?? {};
}
