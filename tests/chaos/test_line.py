"""Tests that each break of a line breaks what it should, and is over when it is mended."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from .line import Line, to_nowhere, to_port
from .wires import through

pytestmark = pytest.mark.long

Meet = Callable[[Line, list[bytes]], Awaitable[None]]


def at_a_line(meet: Meet) -> list[bytes]:
    """Return what arrived at the far end, which responds to every piece with the same piece."""
    arrived: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            arrived.append(data)
            writer.write(data)
        writer.close()

    async def play() -> None:
        far = await asyncio.start_server(answer, "127.0.0.1", 0)
        line = Line(to_port(far.sockets[0].getsockname()[1]))
        await line.open()
        try:
            async with asyncio.timeout(20):
                await meet(line, arrived)
        finally:
            line.close()
            far.close()

    asyncio.run(play())
    return arrived


async def says(line: Line, text: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", line.port)
    writer.write(text)
    try:
        return await reader.read(100)
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


def test_a_whole_line_carries_both_ways() -> None:
    async def meet(line: Line, _arrived: list[bytes]) -> None:
        assert await says(line, b"hello") == b"hello"

    assert at_a_line(meet) == [b"hello"]


def test_a_deaf_line_delivers_the_request_and_loses_the_answer_and_then_the_connection() -> None:
    async def meet(line: Line, arrived: list[bytes]) -> None:
        line.deafen()
        asked = asyncio.create_task(says(line, b"commit"))
        while not arrived:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        assert not asked.done()
        await line.mend()
        assert await asked == b""
        assert await says(line, b"again") == b"again"

    assert at_a_line(meet) == [b"commit", b"again"]


def test_a_cut_line_hangs_up_and_a_refusing_one_is_not_there() -> None:
    async def meet(line: Line, _arrived: list[bytes]) -> None:
        line.cut()
        assert await says(line, b"lost") == b""
        line.refuse()
        with pytest.raises(ConnectionRefusedError):
            await says(line, b"lost")
        await line.mend()
        assert await says(line, b"hello") == b"hello"

    assert at_a_line(meet) == [b"hello"]


def test_a_stalled_line_delivers_when_it_is_mended() -> None:
    async def meet(line: Line, arrived: list[bytes]) -> None:
        line.stall()
        asked = asyncio.create_task(says(line, b"late"))
        await asyncio.sleep(0.05)
        assert arrived == []
        await line.mend()
        assert await asked == b"late"

    assert at_a_line(meet) == [b"late"]


def test_a_line_that_is_led_elsewhere_drops_what_it_carried() -> None:
    async def meet(line: Line, arrived: list[bytes]) -> None:
        async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"from elsewhere")
            writer.close()

        elsewhere = await asyncio.start_server(greet, "127.0.0.1", 0)
        line.stall()
        asked = asyncio.create_task(says(line, b"lost"))
        await asyncio.sleep(0.05)
        line.lead(to_nowhere)
        assert await asked == b""
        await line.mend()
        assert await says(line, b"lost too") == b""
        line.lead(to_port(elsewhere.sockets[0].getsockname()[1]))
        assert await says(line, b"hello") == b"from elsewhere"
        elsewhere.close()
        assert arrived == []

    assert at_a_line(meet) == []


@pytest.mark.parametrize(
    ("url", "by_port"),
    [
        ("unix:///run/a%20b/redis.sock?db=3", "redis://127.0.0.1:9/3"),
        (
            "postgres://maas:p%2Fw@/maas?host=%2Frun%2Fpg&application_name=a",
            "postgres://maas:p%2Fw@127.0.0.1:9/maas?application_name=a",
        ),
        ("amqp://guest:guest@127.0.0.1:5672/%2F", "amqp://guest:guest@127.0.0.1:9/%2F"),
    ],
)
def test_a_service_is_told_by_its_port(url: str, by_port: str) -> None:
    assert through(url, 9) == by_port
