"""Tests of what a cell answers by itself."""

import asyncio
from typing import Any

import pytest

from maas.web.cells import body
from maas.web.cells.front import CellFront, OnlyHere
from maas.web.cells.routing import request_headers, target_of
from tenants.api_keys.format import KeyParts, new_key
from tenants.cells.cells import Cell, Cells
from tenants.core.asgi.protocol import Message, Receive, Scope, Send
from tenants.core.asgi.stopping import Stop

KEY = KeyParts("0123456789ab", "S" * 32, livemode=True, cell="us").text
EU_KEY = KeyParts("0123456789ab", "S" * 32, livemode=True, cell="eu").text
OLD_KEY = KeyParts("0123456789ab", "S" * 32, livemode=True).text
CELLS = Cells(
    "eu",
    by_name={"eu": Cell("eu", "https://eu.example.com", ()), "us": Cell("us", "https://us.example.com", ())},
    secret=b"e" * 32,
    redirect=True,
)


def scope_of(path: str = "/v1/models", key: str = KEY, **more: Any) -> Scope:
    return {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {key}".encode())],
        "client": ("203.0.113.7", 1),
        **more,
    }


async def here(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})


async def nothing() -> Message:
    raise AssertionError("the body must not be read")


async def answered(app: Any, scope: Scope) -> tuple[int, dict[bytes, bytes], bytes]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, nothing, send)
    return sent[0]["status"], dict(sent[0]["headers"]), b"".join(message.get("body", b"") for message in sent[1:])


def run(app: Any, scope: Scope) -> tuple[int, dict[bytes, bytes], bytes]:

    return asyncio.run(answered(app, scope))


def test_a_redirect_keeps_path_and_query_and_reads_no_body() -> None:
    scope = scope_of("/v1/documents", method="POST", query_string=b"a=%2F&b")
    scope["headers"].append((b"content-length", b"1000000"))
    status, headers, _ = run(CellFront(here, CELLS, Stop()), scope)
    assert (status, headers[b"location"]) == (307, b"https://us.example.com/v1/documents?a=%2F&b")
    assert headers[b"connection"] == b"close"
    assert headers[b"x-maas-cell"] == b"us"


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/v1/models", EU_KEY),
        ("/v1/models", OLD_KEY),
        ("/v1/models", KEY[:-1] + "!"),
        ("/v1/models", "x" * 200),
        ("/jobs", KEY),
        ("/metrics", KEY),
        ("/", KEY),
    ],
)
def test_everything_else_is_served_here(path: str, key: str) -> None:
    assert run(CellFront(here, CELLS, Stop()), scope_of(path, key))[0] == 200


def test_a_protocol_that_is_not_forwarded_names_the_home_cell() -> None:
    status, _, text = run(OnlyHere(here, CELLS), scope_of("/v2/models/embed/infer"))
    assert status == 421
    assert b"Send this to https://us.example.com." in text
    assert run(OnlyHere(here, CELLS), scope_of(key=new_key(livemode=True, cell="ap").text))[0] == 401
    assert run(OnlyHere(here, CELLS), scope_of(key=OLD_KEY))[0] == 200


def test_a_body_that_never_begins_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "FIRST_PART_S", 0.05)
    front = CellFront(here, Cells(CELLS.own, by_name=CELLS.by_name, secret=CELLS.secret), Stop())
    scope = scope_of("/v1/documents", method="POST")
    scope["headers"].append((b"content-length", b"1000000"))
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def silent() -> Message:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"", "more_body": True}

    asyncio.run(front(scope, silent, send))
    assert sent[0]["status"] == 408
    assert len(front._unbegun) == len(front._of_cell) == 0


def test_headers_between_the_caller_and_this_cell_stay_here() -> None:
    kept = [(b"Authorization", b"Bearer x"), (b"content-type", b"text/plain"), (b"idempotency-key", b"1")]
    dropped = [
        (b"host", b"eu.example.com"),
        (b"cookie", b"sessionid=1"),
        (b"x-forwarded-for", b"203.0.113.7"),
        (b"x-forwarded-proto", b"http"),
        (b"connection", b"keep-alive, X-Own"),
        (b"x-own", b"1"),
        (b"transfer-encoding", b"chunked"),
        (b"content-length", b"5"),
        (b"x-maas-forwarded", b"forged"),
        (b"expect", b"100-continue"),
    ]
    passed = request_headers(scope_of(headers=[*kept, *dropped]))
    assert passed == [(name.decode().lower(), value.decode()) for name, value in kept]


def test_a_path_is_passed_on_as_it_was_sent() -> None:
    scope = scope_of("/v1/jobs/a b", raw_path=b"/v1/jobs/a%20b", query_string=b"x=%2F%20&y=+")
    assert target_of(scope) == "/v1/jobs/a%20b?x=%2F%20&y=+"
