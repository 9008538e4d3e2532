"""The conversion of requests to httpx and of its failures to the client's, for both kinds of client."""

import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import httpx

from maas_client.configuration import Configuration
from maas_client.exchange import BYTES, Lost, Request
from maas_client.version import VERSION

_NEVER_LEFT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


def options(configuration: Configuration) -> dict[str, Any]:
    """Return the options for httpx.Client and httpx.AsyncClient.

    Redirects are not followed, because a key must go only where its owner sent it.
    """
    return {
        "headers": {
            "Authorization": f"Bearer {configuration.key}",
            "Accept": "application/json",
            "User-Agent": f"maas-client/{VERSION}",
        },
        "verify": configuration.ssl_context or True,
        "limits": httpx.Limits(max_connections=100, max_keepalive_connections=10),
    }


def built(
    http: httpx.Client | httpx.AsyncClient, configuration: Configuration, request: Request, files: ExitStack
) -> httpx.Request:
    """Build the httpx request. Files stay open until `files` is closed."""
    part = request.file
    fields = {name: (None, value) for name, value in request.form.items()}
    timeout = httpx.Timeout(configuration.timeout_s, connect=10.0, read=configuration.timeout_s + request.held_s)
    return http.build_request(
        request.method,
        configuration.url + request.path,
        params=request.query or None,
        json=request.json,
        content=request.content,
        files=(fields | ({"file": (part.name, files.enter_context(part.open()), BYTES)} if part else {})) or None,
        headers=request.headers,
        timeout=timeout,
    )


def lost(asked: httpx.Request, error: httpx.TransportError) -> Lost:
    why = (str(error) or type(error).__name__).rstrip(".")
    where = f"{asked.url.scheme}://{asked.url.netloc.decode('ascii')}"
    return Lost(f"{where} gave no answer ({why}).", unsent=isinstance(error, _NEVER_LEFT))


@contextmanager
def saved_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a file that appears only once it is complete."""
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with partial.open("xb") as file:
            yield file
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
