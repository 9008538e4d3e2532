"""Builds a request's environment, as Django reads it, from an ASGI scope."""

import sys
from typing import Any, BinaryIO

from tenants.core.asgi.protocol import Scope

Environ = dict[str, Any]
OWN_PREFIX = "maas."
_OF_THE_TRANSPORT = frozenset({b"content-length", b"transfer-encoding"})


def environ_of(scope: Scope, body: BinaryIO, length: int) -> Environ:
    """Return the environment. Values of the front (`maas.…`) are beside the headers, where no caller can write."""
    host, port = scope.get("server") or ("localhost", 80)
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        # WSGI requires the bytes of the path, each as one character.
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "CONTENT_LENGTH": str(length),
        "SERVER_NAME": host,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": (scope.get("client") or ("",))[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    _add_headers(environ, scope)
    environ.update({key: value for key, value in scope.items() if key.startswith(OWN_PREFIX)})
    return environ


def _add_headers(environ: Environ, scope: Scope) -> None:
    for name, value in scope["headers"]:
        # `X_Tenant` and `X-Tenant` would become the same variable, and a proxy that strips one lets the other through.
        if b"_" in name or name in _OF_THE_TRANSPORT:
            continue
        text = value.decode("latin-1")
        key = name.decode("latin-1").upper().replace("-", "_")
        if key != "CONTENT_TYPE":
            key = f"HTTP_{key}"
        if key in environ:
            text = f"{environ[key]}{'; ' if key == 'HTTP_COOKIE' else ','}{text}"
        environ[key] = text
