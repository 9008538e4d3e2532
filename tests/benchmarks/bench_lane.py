"""Time a synchronous request around an empty run: over raw Redis lists, over the RPC, and over the RPC from asyncio.

Run from the repository's root: python -m tests.benchmarks.bench_lane. It starts its own Redis and workers.
"""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import numpy as np
import redis

from inference.core.calls import Call
from inference.core.contracts import TextInput
from inference.rpc import AsyncLaneClient, LaneClient
from tests.benchmarks.circumstances import circumstances
from tests.inference.workers.brokers.servers import redis_server

MODEL = "empty@1"
WORK = TextInput(("What is the total of this invoice?",), single=True)
IDLE_CALLS = 600
IDLE_BETWEEN_S = 0.002
ROUNDS = 5
"""Rounds of each way. The ways take turns, so that other work on the machine affects all of them."""
CALLERS = 64
CALLS_EACH = 60
TIMEOUT_S = 30.0

RAW_WORKER = """
import sys, redis
client = redis.Redis.from_url(sys.argv[1], single_connection_client=True, socket_timeout=None)
print("reading", flush=True)
while True:
    _key, message = client.blpop(["raw"])
    reply, _space, body = message.partition(b" ")
    client.rpush(reply, body)
"""


@dataclass(frozen=True)
class Figures:
    p50_ms: float
    p99_ms: float
    steady_p50_ms: float
    """The time of one caller without pauses, which shows the cost with warm caches."""
    calls_per_s: float


def main() -> None:
    with redis_server() as url, worker("-c", RAW_WORKER, url), lane_worker(url):
        raw, lane = RawCaller(url), LaneCaller(url)
        with asyncio.Runner() as runner:
            from_asyncio = AsyncCaller(url, runner)
            callers: dict[str, Caller] = {"raw lists": raw, "lane": lane, "lane, asyncio": from_asyncio}
            for caller in callers.values():
                caller.alone(50, 0.0)
            idle: dict[str, list[float]] = {name: [] for name in callers}
            steady: dict[str, list[float]] = {name: [] for name in callers}
            for _ in range(ROUNDS):
                for name, caller in callers.items():
                    idle[name] += caller.alone(IDLE_CALLS // ROUNDS, IDLE_BETWEEN_S)
                    steady[name] += caller.alone(IDLE_CALLS // ROUNDS, 0.0)
            figures = {
                name: Figures(
                    float(np.percentile(idle[name], 50)),
                    float(np.percentile(idle[name], 99)),
                    float(np.percentile(steady[name], 50)),
                    caller.crowd(CALLERS, CALLS_EACH),
                )
                for name, caller in callers.items()
            }
            lane.client.close()
            runner.run(from_asyncio.client.close())
    report(figures)


class RawCaller:
    """A caller that does the minimum of any RPC: two lists, two blocking pops, and a connection for each caller."""

    def __init__(self, url: str) -> None:
        self._url = url

    def alone(self, calls: int, between_s: float) -> list[float]:
        return timed(self._ask_by(f"raw:{os.getpid()}"), calls, between_s)

    def crowd(self, callers: int, calls: int) -> float:
        return crowd_of([self._ask_by(f"raw:{number}") for number in range(callers)], calls)

    def _ask_by(self, reply: str) -> Callable[[], None]:
        client = redis.Redis.from_url(self._url, single_connection_client=True)

        def ask() -> None:
            client.rpush("raw", f"{reply} {WORK.texts[0]}")
            assert client.blpop([reply], timeout=TIMEOUT_S) is not None

        return ask


class LaneCaller:
    def __init__(self, url: str) -> None:
        self.client = LaneClient(url)

    def alone(self, calls: int, between_s: float) -> list[float]:
        return timed(self._ask, calls, between_s)

    def crowd(self, callers: int, calls: int) -> float:
        return crowd_of([self._ask] * callers, calls)

    def _ask(self) -> None:
        self.client.call(MODEL, WORK, {}, some_call())


class AsyncCaller:
    def __init__(self, url: str, runner: asyncio.Runner) -> None:
        self._runner = runner
        self.client = AsyncLaneClient(url)

    def alone(self, calls: int, between_s: float) -> list[float]:
        return self._runner.run(self._alone(calls, between_s))

    def crowd(self, callers: int, calls: int) -> float:
        return self._runner.run(self._crowd(callers, calls))

    async def _alone(self, calls: int, between_s: float) -> list[float]:
        took_ms = []
        for _ in range(calls):
            await asyncio.sleep(between_s)
            begun_s = time.perf_counter()
            await self._ask()
            took_ms.append((time.perf_counter() - begun_s) * 1000)
        return took_ms

    async def _crowd(self, callers: int, calls: int) -> float:
        begun_s = time.perf_counter()
        await asyncio.gather(*[self._ask_often(calls) for _ in range(callers)])
        return callers * calls / (time.perf_counter() - begun_s)

    async def _ask_often(self, calls: int) -> None:
        for _ in range(calls):
            await self._ask()

    async def _ask(self) -> None:
        await self.client.call(MODEL, WORK, {}, some_call())


Caller = RawCaller | LaneCaller | AsyncCaller


def some_call() -> Call:
    return Call(tenant="tenant", deadline_s=time.monotonic() + TIMEOUT_S)


def timed(ask: Callable[[], None], calls: int, between_s: float) -> list[float]:
    took_ms = []
    for _ in range(calls):
        time.sleep(between_s)
        begun_s = time.perf_counter()
        ask()
        took_ms.append((time.perf_counter() - begun_s) * 1000)
    return took_ms


def crowd_of(asks: list[Callable[[], None]], calls: int) -> float:
    def ask_often(ask: Callable[[], None]) -> None:
        for _ in range(calls):
            ask()

    threads = [threading.Thread(target=ask_often, args=[ask]) for ask in asks]
    begun_s = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(asks) * calls / (time.perf_counter() - begun_s)


@contextmanager
def worker(*arguments: str) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "reading"
    try:
        yield
    finally:
        process.kill()
        process.communicate()


def lane_worker(url: str) -> AbstractContextManager[None]:
    return worker("-m", "tests.inference.rpc.lane_worker", url, str(CALLERS), MODEL)


def report(figures: dict[str, Figures]) -> None:
    print(circumstances())
    titles = ("idle p50", "idle p99", "steady p50", f"{CALLERS} callers", "idle to raw", "steady to raw")
    print(f"{'around an empty run':<22}" + "".join(f"{title:>14}" for title in titles))
    raw = figures["raw lists"]
    for name, one in figures.items():
        times = "".join(f"{ms:>11.2f} ms" for ms in (one.p50_ms, one.p99_ms, one.steady_p50_ms))
        ratios = f"{one.p50_ms / raw.p50_ms:>13.2f}x{one.steady_p50_ms / raw.steady_p50_ms:>13.2f}x"
        print(f"{name:<22}{times}{one.calls_per_s:>12,.0f}/s{ratios}")


if __name__ == "__main__":
    main()
