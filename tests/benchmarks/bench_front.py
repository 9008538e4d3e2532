"""Compare ways to serve Django: granian and uvicorn, with the product's mount, Django's own ASGI handler, and no
Django.

Run from the repository's root: python -m tests.benchmarks.bench_front. It needs no database, because the view reads
none.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from maas.local.supervisor.ports import free_port
from tests.benchmarks.circumstances import circumstances

PROJECT = Path(__file__).resolve().parents[2]
CALLERS = 32
ROUNDS = 3
ROUND_S = 1.2
WARM_UP_S = 0.5
BODY = b"x" * 200
REQUEST = b"POST /view HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)

APPS = {
    "plain ASGI answer": "plain",
    "our mount": "mounted",
    "the whole front (guard, live, our mount)": "front",
    "Django's ASGIHandler": "djangos_own",
}
SERVERS = {
    "granian": ["granian", "--interface", "asgi", "--log-level", "warning", "--workers-kill-timeout", "1"],
    "uvicorn": ["uvicorn", "--log-level", "warning", "--no-access-log"],
}


@dataclass(frozen=True)
class Figures:
    per_s: float
    p50_ms: float
    p99_ms: float


class _Caller(asyncio.Protocol):
    """A connection that sends its next request as soon as it has a response."""

    def __init__(self, latencies_s: list[float], request: bytes) -> None:
        self._latencies_s = latencies_s
        self._request = request
        self._got = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._ask()

    def _ask(self) -> None:
        self._requested_at_s = time.perf_counter()
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, end, body = self._got.partition(b"\r\n\r\n")
        if not end or body != b"200":
            assert head.startswith(b"HTTP/1.1 200")
            return
        self._latencies_s.append(time.perf_counter() - self._requested_at_s)
        self._got = b""
        self._ask()


async def load(port: int, seconds: float, request: bytes = REQUEST) -> Figures:
    loop = asyncio.get_running_loop()
    latencies_s: list[float] = []
    connections = [
        await loop.create_connection(lambda: _Caller(latencies_s, request), "127.0.0.1", port) for _ in range(CALLERS)
    ]
    await asyncio.sleep(seconds)
    for transport, _ in connections:
        transport.abort()
    ordered = sorted(latencies_s)
    return Figures(len(ordered) / seconds, ordered[len(ordered) // 2] * 1000, ordered[len(ordered) * 99 // 100] * 1000)


def measure(server: str, app: str) -> Figures:
    """Return the round with the median throughput, after a warm-up."""
    with serving(server, app) as port:
        asyncio.run(load(port, WARM_UP_S))
        rounds = [asyncio.run(load(port, ROUND_S)) for _ in range(ROUNDS)]
    return sorted(rounds, key=lambda figures: figures.per_s)[ROUNDS // 2]


@contextmanager
def serving(
    server: str,
    app: str,
    variables: Mapping[str, str] = MappingProxyType({}),
    module: str = "tests.benchmarks.front_apps",
) -> Iterator[int]:
    port = free_port()
    command = [
        sys.executable,
        "-m",
        *SERVERS[server],
        "--port",
        str(port),
        f"{module}:{app}",
    ]
    with tempfile.TemporaryDirectory() as home:
        settings = {"MAAS_HOME": home, "MAAS_SECRET_KEY": "bench" * 10, "MAAS_KEY_PEPPER": "bench"}
        env = os.environ | settings | {"MAAS_LOG_LEVEL": "ERROR"} | dict(variables)
        process = subprocess.Popen(command, cwd=PROJECT, env=env, stderr=subprocess.DEVNULL)
        try:
            _wait_until_served(port)
            yield port
        finally:
            process.terminate()
            process.wait()


def _wait_until_served(port: int) -> None:
    async def answers() -> bool:
        try:
            return (await load(port, 0.1)).per_s > 0
        except (OSError, IndexError):
            return False

    deadline = time.monotonic() + 30
    while not asyncio.run(answers()):
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.05)


def print_table(rows: dict[tuple[str, str], Figures]) -> None:
    print(circumstances())
    print(f"{CALLERS} callers, POST of {len(BODY)} bytes, median of {ROUNDS} rounds of {ROUND_S} s\n")
    slowest = rows["granian", "Django's ASGIHandler"]
    print("| server | what answers | requests/s | against Django's ASGIHandler on granian | p50 ms | p99 ms |")
    print("|---|---|--|--|--|--|")
    for (server, name), row in rows.items():
        ratio = row.per_s / slowest.per_s
        print(f"| {server} | {name} | {row.per_s:.0f} | x{ratio:.2f} | {row.p50_ms:.1f} | {row.p99_ms:.1f} |")


def main() -> None:
    print_table({(server, name): measure(server, app) for server in SERVERS for name, app in APPS.items()})


if __name__ == "__main__":
    main()
