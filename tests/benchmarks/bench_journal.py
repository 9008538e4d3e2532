"""Measure the cost of the request log: the same front with and without it, in turns, on its own Redis.

The figure is the processor time of each request, which is stable even if the machine does other work.

Run from the repository's root: python -m tests.benchmarks.bench_journal.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from tests.benchmarks.journal_apps import IDENTITY  # This sets up Django and must precede imports of models.

# isort: split

from maas.local.embedded.folders import ScratchFolders, private_folder
from maas.local.embedded.redis import RedisRole, RedisServer
from maas.local.supervisor.children import spawn
from maas.web.guard.journal import Journal
from maas.web.guard.key_use import KeyUse
from tenants.core.asgi.protocol import REQUEST_ID
from tenants.core.asgi.threads import DatabaseThreads
from tests.benchmarks.bench_front import BODY, CALLERS, load, serving

ROUNDS = 15
ROUND_S = 1.5
BATCH, BATCHES = 200, 20
HEADERS = [(b"host", b"127.0.0.1"), (b"authorization", b"Bearer key"), (b"user-agent", b"bench")]
REQUEST = (
    b"POST /v1/view?limit=20 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer key\r\nUser-Agent: bench\r\n"
    b"Content-Length: %d\r\n\r\n%s"
) % (len(BODY), BODY)
APPS = ("without_journal", "with_journal")


@contextmanager
def cache_redis() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        private_folder(home / "run")
        scratch = ScratchFolders(home / "run" / "scratch.json")
        server = RedisServer(home, RedisRole.CACHE, scratch)
        with (home / "redis.log").open("wb") as log:
            process = spawn(server.prepare(), log.fileno())
        while not server.is_ready():
            time.sleep(0.02)
        try:
            yield server.url
        finally:
            process.terminate()
            process.wait()
            scratch.remove_all()


def cpu_s(app: str) -> float:
    """Return the processor time of the server that serves `app`, all its processes together."""
    words = f"tests.benchmarks.journal_apps:{app}"
    own = [one for one in psutil.Process().children(recursive=True) if words in one.cmdline()]
    family = {process.pid: process for one in own for process in (one, *one.children(recursive=True))}
    times = [process.cpu_times() for process in family.values()]
    return float(sum(time.user + time.system for time in times))


async def alone_us(url: str) -> float:
    """Return the processor time per request of the request log alone: the entry, and its share of sending."""
    journal = Journal(url, KeyUse(DatabaseThreads("bench", 1)))
    spent_s = 0.0
    for _ in range(BATCHES):
        scopes = [
            {
                "path": "/v1/view",
                "query_string": b"limit=20",
                "headers": HEADERS,
                "method": "POST",
                REQUEST_ID: "a" * 32,
            }
            for _ in range(BATCH)
        ]
        before_s = time.process_time()
        for scope in scopes:
            note = journal.open(scope)
            note.caller.identity = IDENTITY
            note.see({"type": "http.response.start", "status": 200})
            note.see({"type": "http.response.body"})
            journal.close(note)
        await journal.tell()
        spent_s += time.process_time() - before_s
    return spent_s / BATCHES / BATCH * 1e6


def main() -> None:
    cpu_ms: dict[str, list[float]] = {app: [] for app in APPS}
    with cache_redis() as url, ExitStack() as stack:
        variables = {"MAAS_CACHE_URL": url}
        ports = {
            app: stack.enter_context(serving("granian", app, variables, module="tests.benchmarks.journal_apps"))
            for app in APPS
        }
        for turn in range(ROUNDS + 1):
            for app in APPS if turn % 2 else reversed(APPS):
                before_s = cpu_s(app)
                figures = asyncio.run(load(ports[app], ROUND_S, REQUEST))
                asyncio.run(asyncio.sleep(0.3))  # entries still to be sent are part of the cost
                if turn:  # the first turn is a warm-up
                    cpu_ms[app].append((cpu_s(app) - before_s) * 1000 / (figures.per_s * ROUND_S))
        alone = asyncio.run(alone_us(url))
    ratios = [after / before for before, after in zip(*(cpu_ms[app] for app in APPS), strict=True)]
    print(f"{CALLERS} callers, {ROUNDS} turns of {ROUND_S} s each")
    for app in APPS:
        print(f"{app}: {statistics.median(cpu_ms[app]):.3f} ms of processor time a request")
    request_us = statistics.median(cpu_ms["without_journal"]) * 1000
    print(f"the journal alone: {alone:.1f} µs a request, {alone / request_us:.1%} of a request without it")
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"with / without, median of turns: x{middle:.3f} (middle half {low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()
