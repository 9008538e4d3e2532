// Sends one file and tells how many of its bytes have left; fetch cannot tell.
import { pageHeaders, refusal, unreachable } from "./requests.js";

/** Like `post`, with `onSent(bytes)`. `signal` takes it back. */
export function sendFile(url, file, { onSent, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    for (const [name, value] of Object.entries(pageHeaders())) request.setRequestHeader(name, value);
    request.responseType = "json";
    // The form around the file has some bytes of its own.
    request.upload.onprogress = ({ loaded }) => onSent(Math.min(loaded, file.size));
    request.upload.onload = () => onSent(file.size);
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(request.response ?? {});
      else reject(refusal(request.status, request.response ?? {}));
    };
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort());
    const body = new FormData();
    body.append("file", file, file.name);
    request.send(body);
  });
}
