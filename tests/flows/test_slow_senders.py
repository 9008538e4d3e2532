"""Tests that callers who send slowly, endlessly or without a key block no other caller and fill no disk."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import httpx
import pytest

from tests.maas.raw_http import RawRequest
from tests.waiting import eventually

from .caller import Caller, assert_problem
from .product import Product

STALLED = 12
BLOCK = b"x" * 65536
BUFFERS_BYTES = 16 << 20
"""The bytes to send before stopping. It is more than the kernel buffers between two ends of a connection, and far less
than is sent.
"""
PART = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello'


def request(caller: Caller, path: str, *headers: str, key: str | None = None) -> RawRequest:
    who = [] if key is None else [f"Authorization: Bearer {key}"]
    lines = [f"POST {path} HTTP/1.1", "Connection: close", *who, *headers]
    return RawRequest(urlsplit(caller.url).port or 80, "\n".join(lines))


def chunked_form(caller: Caller, key: str | None) -> RawRequest:
    headers = ("Transfer-Encoding: chunked", "Content-Type: multipart/form-data; boundary=b")
    return request(caller, "/v1/documents", *headers, key=key)


def spooled(product: Product) -> list[str]:
    return [path.name for path in product.files_under("spool") if path.name != "lock"]


def written_bytes(product: Product) -> int:
    """Return the bytes that the web process has written so far to files and elsewhere."""
    return sum(int(one.io_counters().write_chars) for one in product.processes("maas.web_processes"))


@contextmanager
def stalled_uploads(caller: Caller) -> Iterator[list[RawRequest]]:
    """Yield uploads that stopped. Half have sent a few bytes, half enough to be on disk already."""
    with ExitStack() as connections:
        stalled = []
        for number in range(STALLED):
            upload = connections.enter_context(chunked_form(caller, caller.key))
            upload.send_chunk(PART)
            for _ in range(8 * (number % 2)):
                upload.send_chunk(BLOCK)
            stalled.append(upload)
        yield stalled


def test_twelve_stalled_uploads_slow_nobody_and_are_let_go(caller: Caller, product: Product) -> None:
    with stalled_uploads(caller) as stalled:
        eventually(lambda: len(spooled(product)) >= STALLED // 2, "the larger half on disk")
        with httpx.Client(base_url=caller.url, headers=caller.http.headers, timeout=5) as impatient:
            for _ in range(20):
                assert impatient.get("/v1/models").status_code == 200
            job = impatient.post("/v1/jobs", json={"model": "parse", "input": "No thread is held"})
            assert job.status_code == 202
            uploaded = impatient.post("/v1/documents", files={"file": ("a.txt", b"Past the stalled ones")})
            assert uploaded.status_code == 201
        answers = [upload.answer() for upload in stalled]
    assert {answer.status for answer in answers} == {408}
    assert all(b"request_timeout" in answer.body for answer in answers)
    eventually(lambda: not spooled(product), "an empty spool")


def test_callers_who_hang_up_leave_nothing_behind(caller: Caller, product: Product) -> None:
    with stalled_uploads(caller):
        eventually(lambda: len(spooled(product)) >= STALLED // 2, "the larger half on disk")
    eventually(lambda: not spooled(product), "an empty spool")


def test_an_endless_body_without_a_key_is_cut_off_and_stored_nowhere(caller: Caller, product: Product) -> None:
    before = written_bytes(product)
    with chunked_form(caller, key=None) as upload:
        upload.send_chunk(PART)
        sent = upload.send_until_refused(BLOCK, most=400 << 20)
        assert sent < BUFFERS_BYTES
    with chunked_form(caller, key=None) as upload:
        answer = upload.answer()
    assert answer.status == 401
    assert b"not_authenticated" in answer.body
    assert spooled(product) == []
    assert written_bytes(product) - before < 1 << 20


@pytest.mark.parametrize(
    ("path", "content_type", "bytes_", "code"),
    [
        ("/v1/documents", "multipart/form-data; boundary=b", 300 << 20, "document_too_large"),
        ("/v1/jobs", "multipart/form-data; boundary=b", 300 << 20, "document_too_large"),
        ("/v1/jobs", "application/json", 9 << 20, "request_too_large"),
    ],
)
def test_a_body_announced_as_too_large_is_refused_unread(
    caller: Caller, path: str, content_type: str, bytes_: int, code: str
) -> None:
    headers = (f"Content-Length: {bytes_}", f"Content-Type: {content_type}")
    with request(caller, path, *headers, key=caller.key) as upload:
        answer = upload.answer()
    assert answer.status == 413
    assert code.encode() in answer.body


def test_a_body_that_grows_too_large_is_cut_off(caller: Caller) -> None:
    headers = ("Transfer-Encoding: chunked", "Content-Type: application/json")
    with request(caller, "/v1/jobs", *headers, key=caller.key) as upload:
        assert upload.send_until_refused(BLOCK, most=400 << 20) < BUFFERS_BYTES + (8 << 20)


def test_a_form_cut_off_in_the_middle_stores_nothing(caller: Caller) -> None:
    boundary = {"Content-Type": "multipart/form-data; boundary=b"}
    answer = caller.http.post("/v1/documents", content=PART, headers=boundary)
    assert_problem(answer, 400, "invalid_request")
