"""Tests of what Django receives of a request."""

from io import BytesIO

from maas.web.wsgi_environ import environ_of
from tenants.core.asgi.protocol import Scope, header


def test_a_credential_stands_only_where_django_hides_it() -> None:
    headers = [(b"authorization", b"Bearer secret"), (b"cookie", b"sessionid=secret")]
    scope: Scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "path": "/",
        "query_string": b"",
        "headers": headers,
        "maas.request_id": "mine",
    }
    assert header(scope, b"authorization") == "Bearer secret"
    environ = environ_of(scope, BytesIO(), 0)
    assert environ["maas.request_id"] == "mine"
    assert {name for name, said in environ.items() if "secret" in repr(said)} == {
        "HTTP_AUTHORIZATION",
        "HTTP_COOKIE",
    }
