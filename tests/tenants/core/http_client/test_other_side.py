"""Tests of what the other side can do to a request: drip, never end, lie about its size, and speak no HTTP."""

from dataclasses import replace

import pytest

from tests.tenants.core.http_client.world import DRIP_S, QUICK, WITH_BODY, Make, failure, post


@pytest.mark.parametrize(
    ("pieces", "endlessly"),
    [
        ([b"H"], b"T"),
        ([b"HTTP/1.1 200 OK\r\nX-Long: "], b"x"),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n"], b"x"),
        ([b"HTTP/1.1 200 OK\r\n\r\n"], b"x"),
        ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"], b"1\r\nx\r\n"),
        ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"], b"X: y\r\n"),
        ([b"HTTP/1.1 100 Continue\r\n\r\n"], b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["status", "header", "body", "body without a length", "chunks", "trailers", "continue"],
)
def test_an_answer_that_drips_ends_in_time(world: Make, pieces: list[bytes], endlessly: bytes) -> None:
    quick = replace(QUICK, needs_body=True)
    assert failure(world(*pieces, endlessly=endlessly, every_s=DRIP_S), quick) == "answer_timeout"


def test_a_body_that_drips_ends_in_time_and_the_status_before_it_counts(world: Make) -> None:
    here = world(b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n", endlessly=b"x", every_s=DRIP_S)
    answer = here.send(None, QUICK)
    assert (answer.status, answer.whole) == (200, False)


def test_silence_ends_in_time(world: Make) -> None:
    assert failure(world(b"", endlessly=b"", every_s=30.0), QUICK) == "answer_timeout"


def test_a_receiver_that_takes_nothing_ends_in_time(world: Make) -> None:
    deaf = world(b"", every_s=30.0, listens=False)
    assert failure(deaf, QUICK, post(bytes(32 * 2**20))) == "answer_timeout"


def test_a_receiver_that_takes_it_bit_by_bit_ends_in_time(world: Make) -> None:
    """Each piece is taken well within any timeout. The rest is not sent once the time is over."""
    here, body = world(every_s=DRIP_S, sips=True), bytes(8 * 2**20)
    assert failure(here, QUICK, post(body)) == "answer_timeout"
    here.receiver.close()
    assert here.receiver.sipped < len(body) // 2


@pytest.mark.parametrize(
    ("pieces", "endlessly", "code"),
    [
        ([b"HTTP/1.1 200 OK\r\n"], b"X-A: b\r\n" * 100, "answer_invalid"),
        ([b"HTTP/1.1 200 OK\r\nX-Long: "], b"x" * 1000, "answer_too_large"),
        ([], b"x" * 1000, "answer_too_large"),
        ([], b"HTTP/1.1 100 Continue\r\n\r\n" * 50, "answer_too_large"),
    ],
    ids=["headers", "header", "status", "continue"],
)
def test_endless_headers_are_a_failure(world: Make, pieces: list[bytes], endlessly: bytes, code: str) -> None:
    assert failure(world(*pieces or [b""], endlessly=endlessly), WITH_BODY) == code


ENDLESS = {
    "to the end": ([b"HTTP/1.1 200 OK\r\n\r\n"], b"x" * 1000),
    "of a length": ([b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n"], b"x" * 1000),
    "in chunks": ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"], b"1\r\nx\r\n" * 200),
    "in a chunk": ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffff\r\n"], b"x" * 1000),
    "in a chunk below zero": ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"], b"x" * 1000),
}


@pytest.mark.parametrize("body", ENDLESS)
def test_an_endless_body_is_cut_where_only_the_status_counts(world: Make, body: str) -> None:
    pieces, endlessly = ENDLESS[body]
    answer = world(*pieces, endlessly=endlessly).send()
    assert (answer.status, answer.whole, answer.body) == (200, False, b"x" * 64 * 2**10)


@pytest.mark.parametrize("body", ENDLESS)
def test_an_endless_body_is_a_failure_where_it_is_wanted(world: Make, body: str) -> None:
    pieces, endlessly = ENDLESS[body]
    assert failure(world(*pieces, endlessly=endlessly), WITH_BODY) == "answer_too_large"


@pytest.mark.parametrize("frame", [b"1;" + b"e" * 900 + b"\r\nx\r\n", b"0\r\n" + b"X: y\r\n" * 100])
def test_frames_that_outweigh_the_body_are_a_failure(world: Make, frame: bytes) -> None:
    here = world(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", endlessly=frame)
    assert failure(here, WITH_BODY) in {"answer_too_large", "answer_invalid"}


@pytest.mark.parametrize(
    "header", [b"Content-Encoding: gzip", b"Content-Encoding: br", b"Transfer-Encoding: gzip, chunked"]
)
def test_a_compressed_body_is_never_unpacked(world: Make, header: bytes) -> None:
    packed = b"HTTP/1.1 200 OK\r\n" + header + b"\r\nContent-Length: 9\r\n\r\ncompressed"
    answer = world(packed).send()
    assert (answer.status, answer.body, answer.whole) == (200, b"", False)
    assert failure(world(packed), WITH_BODY) == "answer_invalid"


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnumber\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\n\r\n",
        b"HTTP/2.0 200 OK\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 999999 OK\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\r\n\r\n",
        b"\x00" * 50,
    ],
)
def test_what_is_no_whole_http_answer_is_a_failure(world: Make, answer: bytes) -> None:
    assert failure(world(answer), WITH_BODY) == "answer_invalid"


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnumber\r\n",
    ],
)
def test_a_body_that_is_cut_takes_nothing_from_a_status_that_was_said(world: Make, answer: bytes) -> None:
    said = world(answer).send()
    assert (said.status, said.whole) == (200, False)


def test_a_connection_that_ends_without_an_answer_is_a_failure(world: Make) -> None:
    assert failure(world(b"")) == "connection_failed"


def test_headers_of_an_answer_come_as_one_line_each(world: Make) -> None:
    answer = world(b"HTTP/1.1 204 No\r\nX-A: one\r\n two\r\nX-B: \x00\x1b[2J\r\n\r\n").send()
    assert answer.headers == {"x-a": "one two", "x-b": "[2J"}
