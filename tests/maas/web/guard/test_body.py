"""Tests of bodies that keep to their size and time, and of bodies that do not."""

import asyncio
from collections.abc import Sequence

import pytest

from maas.web.guard.body import Allowance, BodyTooLarge, BodyTooSlow, GuardedBody
from tenants.core.asgi.protocol import Message, Receive
from tenants.core.asgi.stopping import Restarting, Stop

IN_CHUNKS = [(b"transfer-encoding", b"chunked")]
OF_A_LENGTH = [(b"content-length", b"100")]


def _guarded(receive: Receive, allowance: Allowance, stop: Stop | None = None) -> GuardedBody:
    return GuardedBody({"headers": IN_CHUNKS}, receive, allowance, stop or Stop())


@pytest.mark.parametrize(
    ("headers", "pieces", "is_malformed"),
    [(IN_CHUNKS, 1, True), (IN_CHUNKS, 2, False), (OF_A_LENGTH, 1, False)],
)
def test_only_chunks_that_end_too_soon_are_malformed(
    headers: list[tuple[bytes, bytes]], pieces: int, is_malformed: bool
) -> None:
    """A body that stated its length and breaks off comes from a caller who hung up."""
    body_in_two: list[Message] = [
        {"type": "http.request", "body": b"x", "more_body": True},
        {"type": "http.request", "body": b"x", "more_body": False},
    ]
    told = [*body_in_two[:pieces], {"type": "http.disconnect"}]

    async def receive() -> Message:
        return told.pop(0)

    async def check() -> None:
        body = GuardedBody({"headers": headers}, receive, _allowance(), Stop())
        while (await body())["type"] != "http.disconnect":
            pass
        assert body.is_malformed is is_malformed

    asyncio.run(check())


def _allowance(idle_s: float = 5, total_s: float = 5) -> Allowance:
    return Allowance(100, idle_s, total_s, lambda: BodyTooLarge("too large"))


def _pieces(*sizes: int, then_stall: bool = False) -> Receive:
    left = list(sizes)

    async def receive() -> Message:
        if not left:
            if then_stall:
                await asyncio.Event().wait()
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": b"x" * left.pop(0), "more_body": bool(left) or then_stall}

    return receive


async def _read(body: GuardedBody) -> Sequence[Message]:
    messages = []
    while not body.complete:
        messages.append(await body())
    return messages


def test_a_body_within_its_allowance_passes_and_so_does_what_follows() -> None:
    async def check() -> None:
        body = _guarded(_pieces(60, 40), _allowance())
        assert [len(message["body"]) for message in await _read(body)] == [60, 40]
        assert (await body())["type"] == "http.disconnect"

    asyncio.run(check())


def test_a_body_that_grows_too_large_is_refused_at_that_byte() -> None:
    with pytest.raises(BodyTooLarge):
        asyncio.run(_read(_guarded(_pieces(60, 41, 10), _allowance())))


def test_a_body_that_stalls_is_refused() -> None:
    with pytest.raises(BodyTooSlow, match=r"No byte of the body arrived for 0\.05 s; 60 bytes did"):
        asyncio.run(_read(_guarded(_pieces(60, then_stall=True), _allowance(idle_s=0.05))))


def test_a_body_that_takes_too_long_in_all_is_refused() -> None:
    with pytest.raises(BodyTooSlow, match=r"did not arrive within 0\.05 s"):
        asyncio.run(_read(_guarded(_pieces(60, then_stall=True), _allowance(total_s=0.05))))


@pytest.mark.parametrize("length", ["101", "99999999999999999999"])
def test_a_length_that_is_too_large_is_refused_before_reading(length: str) -> None:
    with pytest.raises(BodyTooLarge):
        _allowance().check_length(length)


@pytest.mark.parametrize("length", [None, "0", "100", "nonsense"])
def test_other_lengths_are_left_to_the_counting(length: str | None) -> None:
    _allowance().check_length(length)


def test_a_body_that_is_still_coming_ends_when_the_process_is_to_stop() -> None:
    async def check() -> None:
        stop = Stop()
        body = _guarded(_pieces(60, then_stall=True), _allowance(), stop)
        reading = asyncio.ensure_future(_read(body))
        await asyncio.sleep(0)
        stop.tell()
        with pytest.raises(Restarting):
            await asyncio.wait_for(reading, 2)

    asyncio.run(check())
