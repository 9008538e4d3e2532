"""Words a refusal for the protocol it came by: a problem document over HTTP, a closing code over a websocket."""

import json
from dataclasses import dataclass

from jobs.live.protocol import REQUEST_ID, Scope, Send
from maas.api_errors import CONTENT_TYPE, problem
from tenants.errors import DomainError

INTERNAL_ERROR = 1011
CLOSE_CODES = {400: 4400, 401: 4401, 403: 4403, 404: 4404, 503: 1013}


@dataclass(frozen=True)
class Refusal:
    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    @property
    def close_code(self) -> int:
        return CLOSE_CODES.get(self.status, INTERNAL_ERROR)


def refusal(scope: Scope, error: DomainError, *, hang_up: bool) -> Refusal:
    """`hang_up`: the caller's body was not read, so nothing more can be said on this connection."""
    content = problem(error.code, error.detail, **error.extra, request_id=scope[REQUEST_ID])
    status = int(str(content["status"]))
    body = json.dumps(content).encode()
    headers = [
        (b"content-type", CONTENT_TYPE.encode()),
        (b"content-length", b"%d" % len(body)),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="maas"'))
    if "retry_after_s" in content:
        headers.append((b"retry-after", str(content["retry_after_s"]).encode()))
    if hang_up and scope["http_version"].startswith("1"):
        headers.append((b"connection", b"close"))
    return Refusal(status, tuple(headers), body)


async def refuse_request(refused: Refusal, send: Send) -> None:
    await send({"type": "http.response.start", "status": refused.status, "headers": list(refused.headers)})
    await send({"type": "http.response.body", "body": refused.body})


async def refuse_socket(scope: Scope, refused: Refusal, send: Send) -> None:
    """Before the handshake: no socket is opened. Servers that can, answer with the problem itself; others with 403."""
    if "websocket.http.response" in (scope.get("extensions") or {}):
        start = {
            "type": "websocket.http.response.start",
            "status": refused.status,
            "headers": list(refused.headers),
        }
        await send(start)
        await send({"type": "websocket.http.response.body", "body": refused.body})
    else:
        await send({"type": "websocket.close", "code": refused.close_code})
