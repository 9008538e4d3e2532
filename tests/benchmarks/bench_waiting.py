"""Measure the cost of thousands of waiting requests in one web process: memory, threads, and processor time when idle.

Run from the repository's root: python -m tests.benchmarks.bench_waiting [how many]. It starts its own product for each
kind, and suspends its worker so that no job ends. It then opens that many waits (`Prefer: wait`), event streams of
jobs, or event streams of the tenant.
"""

import asyncio
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from tests.benchmarks.circumstances import circumstances
from tests.flows.caller import Caller
from tests.live_stack import LiveStack

WAITING = 5_000
JOBS = 200
OPENING_AT_ONCE = 32
CALM_PERCENT = 25.0
CALM_TIMEOUT_S = 20.0
LOOK_S = 10.0
GOAL_MB = 200

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True)
class Kind:
    name: str
    path: str
    header: str
    answers_at_once: bool


KINDS = (
    Kind("waits (Prefer: wait)", "/v1/jobs/{job}", "Prefer: wait=60", answers_at_once=False),
    Kind("event streams of jobs", "/v1/jobs/{job}/events", "Accept: text/event-stream", answers_at_once=True),
    Kind("event streams of the tenant", "/v1/events", "Accept: text/event-stream", answers_at_once=True),
)


@dataclass(frozen=True)
class Seen:
    rss_mb: float
    threads: int

    @classmethod
    def of(cls, process: psutil.Process) -> "Seen":
        return cls(process.memory_info().rss / 2**20, process.num_threads())


def web_process(stack: LiveStack) -> psutil.Process:
    """Return the process that serves: the largest of the web processes."""
    tree = psutil.Process(stack.process.pid).children(recursive=True)
    servers = [one for one in tree if "maas.web_processes" in one.cmdline()]
    family = {child.pid: child for server in servers for child in (server, *server.children(recursive=True))}
    serving = [one for one in family.values() if "inside.main" not in " ".join(one.cmdline())]
    return max(serving, key=lambda one: one.memory_info().rss)


@contextmanager
def held_up_worker(stack: LiveStack) -> Iterator[None]:
    tree = psutil.Process(stack.process.pid).children(recursive=True)
    workers = [one for one in tree if one.cmdline()[-1:] == ["worker"]]
    assert workers
    for worker in workers:
        worker.suspend()
    try:
        yield
    finally:
        for worker in workers:
            worker.resume()


async def opened(port: int, key: str, kind: Kind, job: str, turns: asyncio.Semaphore) -> Connection:
    async with turns:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=4096)
        head = f"GET {kind.path.format(job=job)} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
        writer.write(f"{head}{kind.header}\r\n\r\n".encode())
        if kind.answers_at_once:
            head_read = await reader.readuntil(b"\r\n\r\n")
            assert b" 200 " in head_read.splitlines()[0], head_read
            await reader.readuntil(b"id: ")
        return reader, writer


def calm(process: psutil.Process) -> None:
    """Wait until the process is idle."""
    give_up_s = time.monotonic() + CALM_TIMEOUT_S
    while process.cpu_percent(1.0) > CALM_PERCENT and time.monotonic() < give_up_s:
        pass


async def measure(stack: LiveStack, key: str, kind: Kind, jobs: list[str], number: int) -> str:
    process = web_process(stack)
    await asyncio.to_thread(calm, process)
    before, turns, began_s = Seen.of(process), asyncio.Semaphore(OPENING_AT_ONCE), time.monotonic()
    opening = (opened(stack.port, key, kind, jobs[n % len(jobs)], turns) for n in range(number))
    connections = await asyncio.gather(*opening)
    opened_s = time.monotonic() - began_s
    if not kind.answers_at_once:
        await asyncio.to_thread(calm, process)
    after = Seen.of(process)
    percent = await asyncio.to_thread(process.cpu_percent, LOOK_S)
    ended = sum(
        reader.at_eof() or (not kind.answers_at_once and bool(reader._buffer))  # type: ignore[attr-defined]
        for reader, _ in connections
    )
    for _, writer in connections:
        writer.close()
    await asyncio.to_thread(calm, process)
    added_mb = after.rss_mb - before.rss_mb
    return (
        f"{number} {kind.name}: +{added_mb:.0f} MB ({added_mb * 1024 / number:.1f} KB each; goal < {GOAL_MB} MB), "
        f"threads {before.threads} -> {after.threads}, {percent:.0f} % of a core while nothing happens, "
        f"opened in {opened_s:.0f} s, {ended} ended early, "
        f"{Seen.of(process).rss_mb - before.rss_mb:+.0f} MB once closed"
    )


def measure_in_a_product_of_its_own(kind: Kind, number: int) -> str:
    """Measure a kind in its own product. Ended waits leave memory behind, which the next kind would reuse unnoticed."""
    with (
        tempfile.TemporaryDirectory(prefix="bench-waiting-") as folder,
        LiveStack(Path(folder) / "var", variables={"MAAS_LOG_LEVEL": "WARNING"}) as stack,
    ):
        running = stack.wait_until_ready()
        key = running.demo["MAAS_API_KEY"]
        with Caller(running.url, key) as caller, held_up_worker(stack):
            jobs = [caller.submit("embed", input=f"text {n}")["id"] for n in range(JOBS)]
            return asyncio.run(measure(stack, key, kind, jobs, number))


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else WAITING
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    print(circumstances())
    for kind in KINDS:
        print(measure_in_a_product_of_its_own(kind, number), flush=True)


if __name__ == "__main__":
    main()
