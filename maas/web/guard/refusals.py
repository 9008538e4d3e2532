"""Write a refusal in the form of its protocol: a problem document over HTTP, a close code over a websocket."""

import json
from dataclasses import dataclass

from inference.gateway.gateway import is_call
from maas.web.errors.api_errors import problem
from maas.web.errors.api_handler import shaped, status_at
from maas.web.errors.error_pages import bare_page
from tenants.core.asgi.protocol import REQUEST_ID, Scope, Send, header
from tenants.core.errors import DomainError

API_PATHS = ("/v1/", "/v2/", "/ws/")
INTERNAL_ERROR = 1011
CLOSE_CODES = {400: 4400, 401: 4401, 403: 4403, 404: 4404, 429: 1013, 503: 1013}


def is_api(path: str) -> bool:
    return path.startswith(API_PATHS) or is_call(path)


@dataclass(frozen=True)
class Refusal:
    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    @property
    def close_code(self) -> int:
        return CLOSE_CODES.get(self.status, INTERNAL_ERROR)


def refusal(scope: Scope, error: DomainError, *, hang_up: bool) -> Refusal:
    """Return the refusal. `hang_up` says that the request body was not read, so the connection cannot be used
    any more.
    """
    content = problem(error.code, error.detail, **error.extra, request_id=scope[REQUEST_ID])
    status = status_at(scope["path"], int(str(content["status"])))
    content_type, body = _for_program_or_person(scope, content)
    headers = [
        (b"content-type", content_type.encode()),
        (b"content-length", b"%d" % len(body)),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; form-action 'self'"),
    ]
    if status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="maas"'))
    if "retry_after_s" in content:
        headers.append((b"retry-after", str(content["retry_after_s"]).encode()))
    if "allow" in content:
        headers.append((b"allow", str(content["allow"]).encode()))
    if hang_up and scope["http_version"].startswith("1"):
        headers.append((b"connection", b"close"))
    return Refusal(status, tuple(headers), body)


def worded(scope: Scope, error: DomainError) -> tuple[int, bytes]:
    """Return only the status and the body, for calls that did not come over a connection of their own."""
    refused = refusal(scope, error, hang_up=False)
    return refused.status, refused.body


def _for_program_or_person(scope: Scope, content: dict[str, object]) -> tuple[str, bytes]:
    asks_for_page = scope.get("method") == "GET" and "text/html" in (header(scope, b"accept") or "")
    if scope["type"] == "websocket" or is_api(scope["path"]) or not asks_for_page:
        content_type, body = shaped(scope["path"], content)
        return content_type, json.dumps(body).encode()
    query = scope["query_string"].decode("latin-1")
    return "text/html; charset=utf-8", bare_page(content, scope["path"], query).encode()


async def refuse_request(refused: Refusal, send: Send) -> None:
    await send({"type": "http.response.start", "status": refused.status, "headers": list(refused.headers)})
    await send({"type": "http.response.body", "body": refused.body})


async def refuse_socket(scope: Scope, refused: Refusal, send: Send) -> None:
    """Refuse a handshake without opening a socket. Servers that support it answer with the problem document, and others
    with 403.
    """
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
