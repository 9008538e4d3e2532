"""Tests of ten thousand unknown keys: they are cheap to refuse, soon forgotten, and delay nobody."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median

import psutil  # type: ignore[import-untyped]
import pytest

from tenants.api_keys.format import new_key
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.granian_server import GranianServer
from tests.waiting import eventually

MANY = 10_000
CONNECTIONS = 32
MAX_GROWTH_BYTES = 8_000_000
"""The most growth in a round of so many keys. It is less than a kilobyte for each key."""
MAX_ROUNDS = 5
"""The most rounds. A process that serves so many for the first time grows, up to some size. A leak grows in every
round.
"""
QUICK_S = 2.0
"""The most seconds for a known key on a machine that handles ten thousand others. A caller who waited behind them would
wait far longer.
"""


@pytest.fixture
def server(two_webs: tuple[GranianServer, GranianServer]) -> GranianServer:
    return two_webs[0]


class Asker:
    """One connection, kept open if the server keeps it open."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, key: str) -> int:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        request = f"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n\r\n"
        writer.write(request.encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = next(line for line in head.split("\r\n") if line.startswith("content-length:"))
        await reader.readexactly(int(length.partition(":")[2]))
        if "connection: close" in head:
            self.close()
        return int(head.split()[1])

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def flood(port: int, keys: Sequence[str], known: str) -> tuple[Counter[int], list[float]]:
    """Send all keys. Return the number of each status, and the seconds that a known key waited each time meanwhile."""
    left, seen, waits = iter(keys), Counter[int](), list[float]()
    over = asyncio.Event()

    async def send_on() -> None:
        asker = Asker(port)
        for key in left:
            seen[await asker.ask(key)] += 1
        asker.close()

    async def ask_meanwhile() -> None:
        asker = Asker(port)
        while not over.is_set():
            began_s = time.monotonic()
            assert await asker.ask(known) == 200
            waits.append(time.monotonic() - began_s)
        asker.close()

    meanwhile = asyncio.create_task(ask_meanwhile())
    await asyncio.gather(*(send_on() for _ in range(CONNECTIONS)))
    over.set()
    await meanwhile
    return seen, waits


async def _is_let_in(port: int, known: str) -> bool:
    """Say whether the key is accepted. A new key may have to wait if many unknown keys came from the same client IP a
    moment ago.
    """
    asker = Asker(port)
    try:
        return await asker.ask(known) == 200
    finally:
        asker.close()


def memory_bytes(server: GranianServer) -> int:
    """Return the memory of the process that serves. The processes that it starts to open documents come and go."""
    children = psutil.Process(server.process.pid).children()
    first = min(children, key=lambda one: float(one.create_time()))
    return int(first.memory_info().rss)


@pytest.mark.long  # test_limits.py tests the same with some hundreds.
@pytest.mark.parametrize(
    "make",
    [lambda _: new_key(livemode=True).text, "maas_live_{:012}_wrong".format],
    ids=["unknown", "malformed"],
)
def test_ten_thousand_strange_keys_cost_no_error_no_memory_and_nobody_elses_time(
    server: GranianServer, tenant: CreatedTenant, make: Callable[[int], str]
) -> None:
    keys = [make(number) for number in range(MANY)]
    eventually(lambda: asyncio.run(_is_let_in(server.port, tenant.key.text)), "the flood before is forgotten")
    grown: list[int] = []
    while not grown or grown[-1] >= MAX_GROWTH_BYTES:
        assert len(grown) < MAX_ROUNDS, grown
        before = memory_bytes(server)
        seen, waits = asyncio.run(flood(server.port, keys, tenant.key.text))
        grown.append(memory_bytes(server) - before)
        assert seen.total() == MANY
        assert set(seen) <= {401, 429}
    assert len(waits) > 10
    assert median(waits) < QUICK_S
