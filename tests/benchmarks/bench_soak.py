"""Send 200,000 embeddings of 5 to 15 words to a whole product at half of its capacity, and restart every process of it
once in the middle. Nothing may be lost, and the usage must be exact.

Run from the repository's root: python -m tests.benchmarks.bench_soak [--calls 200000] [--share 0.5]. It starts a
product of its own, with keys of several accounts, limits, the request log and metering, as every product has. It first
measures the capacity with callers that never pause. Then calls come by chance at the given share of it, however late
the answers are. A caller whose connection broke, or who was asked to come back, sends its call again; the time of a
call is counted from when it was due. The callers run on the same machine, so the product has less than the whole of it.

What ten million calls take is computed from this run, not measured.
"""

import argparse
import asyncio
import json
import random
import re
import signal
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]

from tests.benchmarks.bench_embeddings import WORDS
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.overload_load import Connections, closed_loop, uncollected
from tests.benchmarks.peers.ours import QUIET, manage
from tests.live_stack import LiveStack, RunningStack

CALLS, SHARE = 200_000, 0.5
ACCOUNTS = 8
CALLERS, CAPACITY_S, WARM_UP_S = 64, 15.0, 5.0
TENTH, MIDDLE = 0.1, 0.5
MAX_TRIES = 60
COMES_BACK_S = 0.5
SETTLES_S = 5.0
READY_TIMEOUT_S, USAGE_TIMEOUT_S = 120.0, 300.0
EXTRAPOLATED = 10_000_000
MEAN_GOAL_MS, MEMORY_GOAL = 70.0, 1.05
_TOKENS = re.compile(rb'"total_tokens":\s*(\d+)')
_OWN = ("web", "worker", "scheduler")
"""The product's processes. The others are the servers that it starts."""


# ---- calls


def text(number: int) -> str:
    """Return the text with this number: 5 to 15 words, of which one is the number, so that no two are the same."""
    chance = random.Random(number)
    return " ".join([*chance.choices(WORDS, k=chance.randint(4, 14)), str(number)])


def request(key: str, number: int) -> bytes:
    body = json.dumps({"model": "embed", "input": text(number)}).encode()
    head = (
        f"POST /v1/embeddings HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


@dataclass(slots=True)
class Soak:
    """The calls of a run and what became of them."""

    port: int
    keys: Sequence[str]
    rate: float
    calls: int
    took: list[tuple[float, float]] = field(default_factory=list)
    """When each answered call was due, and the seconds from then to its answer."""
    tokens: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    """Answered calls by key."""
    broken: Counter[str] = field(default_factory=Counter)
    """Connections by key that broke after a call was sent. Such a call may have been done, and is sent again."""
    asked_back: Counter[int] = field(default_factory=Counter)
    """Refusals that ask the caller to come back, by status."""
    lost: list[str] = field(default_factory=list)
    late_s: float = 0.0
    """The most by which the caller itself was late."""

    async def run(self) -> None:
        chance, connections = random.Random(1), Connections(self.port)
        tasks: set[asyncio.Task[None]] = set()
        due_s = time.monotonic()
        for number in range(self.calls):
            due_s += chance.expovariate(self.rate)
            behind_s = time.monotonic() - due_s
            self.late_s = max(self.late_s, behind_s)
            if behind_s < 0:
                await asyncio.sleep(-behind_s)
            task = asyncio.create_task(self._call(connections, number, due_s))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        await asyncio.gather(*tasks)
        connections.close()

    @property
    def ended(self) -> int:
        return len(self.took) + len(self.lost)

    async def _call(self, connections: Connections, number: int, due_s: float) -> None:
        key = self.keys[number % len(self.keys)]
        said = "no connection"
        for _ in range(MAX_TRIES):
            try:
                answer = await connections.ask(request(key, number), due_s)
            except OSError as error:
                answer, said = None, str(error)
            if answer is None:
                await asyncio.sleep(COMES_BACK_S)
                continue
            said = f"{answer.status} {answer.body[:200]!r}"
            if answer.status == 200:
                found = _TOKENS.search(answer.body)
                assert found, answer.body[-200:]
                self.tokens[key] += int(found[1])
                self.answered[key] += 1
                self.took.append((due_s, time.monotonic() - due_s))
                return
            if answer.status == 0:
                self.broken[key] += 1
            elif answer.status in (429, 503):
                self.asked_back[answer.status] += 1
            else:
                break
            await asyncio.sleep(answer.retry_after or COMES_BACK_S)
        self.lost.append(said)


# ---- processes


@dataclass(frozen=True, slots=True)
class Figures:
    """The memory of each process by its name, and the processor time and disk of all, after so many calls."""

    after: int
    """The number of calls that had ended."""
    memory_bytes: dict[str, int]
    cpu_s: float
    disk_bytes: int
    """The size of the database's files."""


def children(stack: LiveStack) -> dict[str, psutil.Process]:
    """Return the processes that the product's supervisor keeps, by name."""
    return {_name(child): child for child in psutil.Process(stack.process.pid).children()}


def _name(process: psutil.Process) -> str:
    words = process.cmdline()
    own = {"maas.web_processes": "web", "worker": "worker", "scheduler": "scheduler"}
    named = next((own[word] for word in words if word in own), None)
    return named or f"{Path(words[0].split()[0]).name} {Path(process.cwd()).name}"


def measure(stack: LiveStack, home: Path, after: int) -> Figures:
    memory, cpu_s = dict[str, int](), 0.0
    for name, child in children(stack).items():
        family = [child, *child.children(recursive=True)]
        for one in family:
            try:
                memory[name] = memory.get(name, 0) + one.memory_full_info().pss
                times = one.cpu_times()
            except psutil.Error:
                continue
            cpu_s += times.user + times.system
    disk = sum(file.stat().st_size for file in home.glob("postgres/data/base/**/*") if file.is_file())
    return Figures(after, memory, cpu_s, disk)


def restart_all(stack: LiveStack, url: str) -> tuple[float, float]:
    """Replace each process as its operator would, one after another: web by SIGHUP, and each other is ended and started
    again by the supervisor. Return when this began and ended.
    """
    all_began_s = time.monotonic()
    for name, child in children(stack).items():
        began_s = time.monotonic()
        if name == "web":
            old = child.children()
            child.send_signal(signal.SIGHUP)
            assert not psutil.wait_procs(old, READY_TIMEOUT_S)[1], "the old web processes did not end"
        else:
            child.send_signal(signal.SIGINT if "postgres" in name else signal.SIGTERM)
            child.wait(READY_TIMEOUT_S)
        while not _is_ready(stack, url, name):
            assert time.monotonic() - began_s < READY_TIMEOUT_S, f"{name} did not come back"
            time.sleep(0.2)
        print(f"restarted {name}: ready after {time.monotonic() - began_s:.1f} s", flush=True)
        time.sleep(SETTLES_S)
    return all_began_s, time.monotonic()


def _is_ready(stack: LiveStack, url: str, name: str) -> bool:
    try:
        return name in children(stack) and httpx.get(f"{url}/readyz", timeout=5, trust_env=False).status_code == 200
    except (httpx.HTTPError, psutil.Error):
        return False


async def soak(stack: LiveStack, running: RunningStack, run: Soak) -> tuple[list[Figures], tuple[float, float]]:
    """Play the calls. Return the figures after a tenth, before the restarts and at the end, and when those were."""
    found: list[Figures] = []

    def measure_after(share: float) -> None:
        while run.ended < share * run.calls:
            time.sleep(0.1)
        found.append(measure(stack, running.home, run.ended))

    def watch() -> tuple[float, float]:
        measure_after(TENTH)
        measure_after(MIDDLE)
        return restart_all(stack, running.url)

    watching = asyncio.create_task(asyncio.to_thread(watch))
    with uncollected():
        await run.run()
    restarts = await watching
    found.append(measure(stack, running.home, run.ended))
    return found, restarts


# ---- usage


@dataclass(frozen=True, slots=True)
class Used:
    records: int
    tokens: int


def used(url: str, key: str) -> Used:
    answer = httpx.get(f"{url}/v1/usage", headers={"Authorization": f"Bearer {key}"}, timeout=30, trust_env=False)
    (totals,) = answer.raise_for_status().json()["totals"] or [{"records": 0, "quantities": {"token": 0}}]
    return Used(totals["records"], totals["quantities"]["token"])


def used_since(url: str, keys: Sequence[str], before: dict[str, Used], least: Counter[str]) -> dict[str, Used]:
    """Return what was recorded since, as soon as there are at least so many records and they grow no more."""
    began_s = time.monotonic()
    last: dict[str, Used] = {}
    while time.monotonic() - began_s < USAGE_TIMEOUT_S:
        now = {key: used(url, key) for key in keys}
        since = {
            key: Used(now[key].records - before[key].records, now[key].tokens - before[key].tokens) for key in keys
        }
        if since == last and all(since[key].records >= least[key] for key in keys):
            return since
        last = since
        time.sleep(SETTLES_S)
    return last


def print_usage(run: Soak, since: dict[str, Used]) -> None:
    exact = all(Used(run.answered[key], run.tokens[key]) == since[key] for key in run.keys)
    more = sum(since[key].records - run.answered[key] for key in run.keys)
    missing = sum(max(0, run.answered[key] - since[key].records) for key in run.keys)
    unexplained = sum(max(0, since[key].records - run.answered[key] - run.broken[key]) for key in run.keys)
    print(
        f"usage: {sum(one.records for one in since.values()):,} records for {run.answered.total():,} answers,"
        f" {sum(one.tokens for one in since.values()):,} tokens for {run.tokens.total():,};"
        f" {'exact for every key' if exact else f'{more} more, of {run.broken.total()} calls whose answer broke off'};"
        f" {missing} missing, {unexplained} unexplained"
    )


# ---- report


def print_report(run: Soak, found: Sequence[Figures], restarts: tuple[float, float]) -> None:
    took_ms = sorted(1000 * took_s for _, took_s in run.took)
    mean = statistics.fmean(took_ms)
    calm = [1000 * took_s for due_s, took_s in run.took if not restarts[0] <= due_s <= restarts[1]]
    quantiles = ", ".join(f"p{share:g} {took_ms[int(share / 100 * (len(took_ms) - 1))]:.1f}" for share in (50, 95, 99))
    print(
        f"{len(took_ms):,} answers, mean {mean:.1f} ms (goal {MEAN_GOAL_MS:g}), {quantiles} ms,"
        f" longest {took_ms[-1] / 1000:.1f} s; lost {len(run.lost)}{' ' + str(run.lost[:3]) if run.lost else ''}"
    )
    print(f"mean {statistics.fmean(calm):.1f} ms beside the {restarts[1] - restarts[0]:.0f} s of the restarts")
    print(
        f"{run.broken.total()} connections broke and {dict(run.asked_back)} were asked to come back; the caller itself"
        f" was late by {run.late_s:.2f} s at most"
    )
    tenth, middle, end = found
    for name in sorted({*tenth.memory_bytes, *end.memory_bytes}):
        sizes = [one.memory_bytes.get(name, 0) / 2**20 for one in found]
        print(f"  {name}: {sizes[0]:.0f} MB after a tenth, {sizes[1]:.0f} in the middle, {sizes[2]:.0f} at the end")
    for what, names in (("own processes", _OWN), ("all", tuple(end.memory_bytes))):
        before, after = (sum(one.memory_bytes.get(name, 0) for name in names) for one in (tenth, end))
        middle_bytes = sum(middle.memory_bytes.get(name, 0) for name in names)
        print(
            f"  {what}: x{middle_bytes / before:.2f} in the middle, x{after / before:.2f} at the end (goal"
            f" {MEMORY_GOAL})"
        )
    calls = middle.after - tenth.after
    each_ms = 1000 * (middle.cpu_s - tenth.cpu_s) / calls
    disk = (middle.disk_bytes - tenth.disk_bytes) / calls
    print(
        f"{each_ms:.2f} ms of processors and {disk:.0f} bytes of database a call. From this, {EXTRAPOLATED:,} calls"
        f" take {EXTRAPOLATED * each_ms / 3.6e6:.1f} processor-hours, {EXTRAPOLATED * disk / 1e9:.1f} GB and, at this"
        f" rate, {EXTRAPOLATED / run.rate / 3600:.1f} hours"
    )


def capacity(port: int, keys: Sequence[str]) -> float:
    count = 0

    def one() -> bytes:
        nonlocal count
        count += 1
        return request(keys[count % len(keys)], 10**9 + count)

    asyncio.run(closed_loop(port, CALLERS, WARM_UP_S, one))
    answers = asyncio.run(closed_loop(port, CALLERS, CAPACITY_S, one))
    assert {answer.status for answer in answers} == {200}, Counter(answer.status for answer in answers)
    return len(answers) / CAPACITY_S


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--share", type=float, default=SHARE, help="share of the capacity at which calls come")
    given = parser.parse_args()
    print(circumstances())
    with tempfile.TemporaryDirectory() as folder, LiveStack(Path(folder, "var"), variables=QUIET) as stack:
        running = stack.wait_until_ready()
        created = [
            manage(running.home, "tenant_create", f"--name=Soak {number}", f"--email=soak{number}@example.com")
            for number in range(ACCOUNTS)
        ]
        keys = [str(json.loads(one)["api_key"]) for one in created]
        able = capacity(stack.port, keys)
        print(f"capacity {able:.0f}/s with {CALLERS} callers; calls come at {given.share * able:.0f}/s", flush=True)
        time.sleep(SETTLES_S)
        before = {key: used(running.url, key) for key in keys}
        run = Soak(stack.port, keys, given.share * able, given.calls)
        found, restarts = asyncio.run(soak(stack, running, run))
        print_report(run, found, restarts)
        print_usage(run, used_since(running.url, keys, before, run.answered))


if __name__ == "__main__":
    main()
