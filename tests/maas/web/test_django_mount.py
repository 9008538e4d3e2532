"""Tests of Django behind the mount: what it receives, what it returns, and what slow callers cost."""

import hashlib
import time
from collections.abc import Callable
from io import BytesIO

import httpx
import pytest

from maas.web.django_mount import environ_of
from tenants.core.asgi.protocol import Scope, header
from tests.maas.granian_server import GranianServer
from tests.maas.mount_urls import FILE_BYTES, IDLE_S, THREADS
from tests.maas.raw_http import RawRequest

SOMEBODYS = {"Cookie": "sessionid=somebodys"}
"""A session cookie, since a page accepts only little without a session."""


def _wait_for(condition: Callable[[], bool], within_s: float = 10.0) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true"
        time.sleep(0.02)


@pytest.mark.parametrize("size", [0, 1, 65_536, 300_000, 2_500_000])
def test_a_view_gets_the_whole_body(telling_server: GranianServer, size: int) -> None:
    body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    seen = httpx.post(f"{telling_server.url}/echo", content=body, headers=SOMEBODYS).json()
    assert seen["body_bytes"] == size
    assert seen["body_sha256"] == hashlib.sha256(body).hexdigest()


@pytest.mark.parametrize("pieces", [3, 400])
def test_a_chunked_body_arrives_whole(telling_server: GranianServer, pieces: int) -> None:
    content = (b"y" * 1000 for _ in range(pieces))
    answer = httpx.post(f"{telling_server.url}/echo", content=content, headers=SOMEBODYS)
    seen = answer.json()
    assert seen["body_bytes"] == pieces * 1000
    assert seen["headers"]["Content-Length"] == str(pieces * 1000)
    assert "Transfer-Encoding" not in seen["headers"]


def test_a_view_may_read_its_body_piece_by_piece(telling_server: GranianServer) -> None:
    answer = httpx.post(f"{telling_server.url}/read", content=b"z" * 700_000, headers=SOMEBODYS)
    assert answer.text == "700000"


def test_a_view_may_parse_its_body(telling_server: GranianServer) -> None:
    assert httpx.post(f"{telling_server.url}/parsed", json={"a": ["é"]}).json() == {"a": ["é"]}


def test_a_header_with_an_underscore_is_not_taken_for_one_with_a_hyphen(
    telling_server: GranianServer,
) -> None:
    with RawRequest(telling_server.port, "GET /echo HTTP/1.1\nX_Tenant: evil\nX_Other: evil") as request:
        answer = request.answer()
    assert b"evil" not in answer.body


def test_what_the_front_knows_cannot_be_said_in_a_header(telling_server: GranianServer) -> None:
    headers = {
        "maas.identity": "evil",
        "MAAS-Identity": "evil",
        "maas.upload": "evil",
        "X-Request-Id": "mine",
    }
    seen = httpx.get(f"{telling_server.url}/echo", headers=headers).json()
    assert seen["environ"] == {"maas.request_id": "'mine'"}


def test_path_query_and_cookies_arrive_as_sent(telling_server: GranianServer) -> None:
    url = f"{telling_server.url}/echo/%C3%A9/%20x?a=1&a=%C3%BC&b="
    seen = httpx.get(url, headers=[("Cookie", "one=1"), ("Cookie", "two=2"), ("X-Twice", "a"), ("X-Twice", "b")]).json()
    assert seen["rest"] == "é/ x"
    assert seen["query"] == {"a": ["1", "ü"], "b": [""]}
    assert seen["cookies"] == {"one": "1", "two": "2"}
    assert seen["headers"]["X-Twice"] == "a,b"


def test_status_and_every_cookie_reach_the_client(telling_server: GranianServer) -> None:
    answer = httpx.get(f"{telling_server.url}/cookies")
    assert (answer.status_code, answer.text) == (201, "é")
    assert answer.headers.get_list("set-cookie") == ["one=1; HttpOnly; Path=/", "two=2; Path=/"]


def test_an_error_of_a_view_is_answered_by_django(telling_server: GranianServer) -> None:
    answer = httpx.get(f"{telling_server.url}/broken")
    assert (answer.status_code, answer.text) == (500, "our fault")
    assert httpx.get(f"{telling_server.url}/nothing").text == "nothing here"


def test_a_stream_is_produced_in_threads_that_are_not_djangos(telling_server: GranianServer) -> None:
    names = httpx.get(f"{telling_server.url}/lines").text.split()
    assert len(names) == 5
    assert all(name.startswith("produce") for name in names)


def test_what_a_stream_binds_stays_bound_whichever_threads_produce_it(telling_server: GranianServer) -> None:
    for _ in range(8):
        assert httpx.get(f"{telling_server.url}/bound").text == "bound bound bound "


def test_a_stream_that_keeps_a_transaction_open_is_cut_off(telling_server: GranianServer) -> None:
    for _ in range(8):
        assert httpx.get(f"{telling_server.url}/in-a-transaction").status_code == 500
    for _ in range(8):
        assert httpx.get(f"{telling_server.url}/lines").status_code == 200


def test_a_file_is_sent_whole(telling_server: GranianServer) -> None:
    answer = httpx.get(f"{telling_server.url}/file")
    assert len(answer.content) == FILE_BYTES
    head = httpx.head(f"{telling_server.url}/file")
    assert head.headers["content-length"] == str(FILE_BYTES)
    assert head.content == b""


def test_a_client_that_hangs_up_ends_the_stream_it_was_reading(telling_server: GranianServer) -> None:
    with RawRequest(telling_server.port, "GET /endless HTTP/1.1") as request:
        assert request.receive(1000).startswith(b"HTTP/1.1 200")
        assert httpx.get(f"{telling_server.url}/closed").json() == {"closed": False}
    _wait_for(lambda: bool(httpx.get(f"{telling_server.url}/closed").json()["closed"]))


@pytest.mark.parametrize("stalled", ["file", "flood"])
def test_callers_that_stop_reading_hold_no_thread(telling_server: GranianServer, stalled: str) -> None:
    readers = [RawRequest(telling_server.port, f"GET /{stalled} HTTP/1.1") for _ in range(20)]
    try:
        assert all(reader.receive(100) for reader in readers)
        for other in ("file", "flood"):
            assert len(httpx.get(f"{telling_server.url}/{other}").content) == FILE_BYTES
    finally:
        for reader in readers:
            reader.__exit__(None, None, None)


def test_bodies_that_stall_hold_no_thread_and_are_given_up(telling_server: GranianServer) -> None:
    head = "POST /echo HTTP/1.1\nContent-Length: 1000"
    stalled = [RawRequest(telling_server.port, head) for _ in range(3 * THREADS)]
    try:
        for request in stalled:
            request.send(b"only this much")
        started = time.monotonic()
        assert httpx.post(f"{telling_server.url}/echo", content=b"abc").json()["body_bytes"] == 3
        assert time.monotonic() - started < IDLE_S / 2
        answers = [request.answer() for request in stalled]
    finally:
        for request in stalled:
            request.__exit__(None, None, None)
    assert {answer.status for answer in answers} == {408}
    assert all(b'"request_timeout"' in answer.body for answer in answers)


def test_a_body_that_trickles_is_given_up_in_the_end(telling_server: GranianServer) -> None:
    with RawRequest(telling_server.port, "POST /echo HTTP/1.1\nTransfer-Encoding: chunked") as request:
        deadline = time.monotonic() + 20
        try:
            while time.monotonic() < deadline:
                request.send_chunk(b"x")
                time.sleep(0.3)
        except OSError:
            pass
        assert time.monotonic() < deadline


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
