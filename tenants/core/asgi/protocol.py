"""The ASGI types of the layers in front of Django, and the keys that they set in a request's scope."""

from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

REQUEST_ID = "maas.request_id"
UPLOAD = "maas.upload"
MEMBER = "maas.member"
"""The scope key for the owner of a cookie in a request with a body: no identity, as it proves no intent (CSRF)."""


_BY_NAME = "headers.by_name"
"""The scope key for the headers and the first of each name. It is not one of ours: those go on to Django's environ."""
_NO_HEADERS: tuple[object, dict[bytes, bytes]] = (None, {})


class ClientGone(Exception):
    """The caller has disconnected, so there is nobody to respond to."""


def header(scope: Scope, name: bytes) -> str | None:
    """Return the first header of that (lower-case) name."""
    headers = scope["headers"]
    listed, by_name = scope.get(_BY_NAME, _NO_HEADERS)
    if listed is not headers:
        by_name = dict(reversed(headers))
        scope[_BY_NAME] = headers, by_name
    value = by_name.get(name)
    return None if value is None else bytes(value).decode("latin-1")


def headers_of(scope: Scope, name: bytes) -> list[str]:
    """Return all headers of that (lower-case) name, in their order."""
    return [bytes(value).decode("latin-1") for key, value in scope["headers"] if key == name]


def without_headers(scope: Scope, names: frozenset[bytes]) -> list[tuple[bytes, bytes]]:
    return [(key, value) for key, value in scope["headers"] if key not in names]


def cookie(scope: Scope, name: str) -> str | None:
    if header(scope, b"cookie") is None:
        return None
    raw = "; ".join(headers_of(scope, b"cookie"))  # HTTP/2 sends cookies one by one.
    if name not in raw:
        return None
    try:
        found = SimpleCookie(raw).get(name)
    except CookieError:
        return None
    return found.value or None if found else None


def bearer(scope: Scope) -> str | None:
    """Return the credential of an `Authorization: Bearer` header, or None if there is no such header."""
    scheme, _, credential = (header(scope, b"authorization") or "").partition(" ")
    return credential.strip() if scheme.lower() == "bearer" else None


def has_body(scope: Scope) -> bool:
    """Return whether bytes of a body may follow. A request without a body need not be read."""
    length = header(scope, b"content-length")
    if length is not None:
        return length.strip() != "0"
    if header(scope, b"transfer-encoding") is not None:
        return True
    return scope["http_version"].startswith("2") and scope["method"] not in {"GET", "HEAD"}


async def body_chunks(receive: Receive) -> AsyncIterator[bytes]:
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        more = message.get("more_body", False)
        if chunk := message.get("body", b""):
            yield chunk


async def until_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
