"""Replay a trace on a real product whose workers the policy starts and stops, and compare it with the simulation of the
same trace.

Run from the repository's root: python -m tests.benchmarks.bench_scaling_live [--repeats 3] [--busy 0.35]. It starts a
product of its own and does what KEDA and Kubernetes do: it reads how many workers of a pool are `wanted` from the
product, and starts a worker, or ends the youngest with SIGTERM. Each job has tensors for a model that counts, so that
the work of each is known: what a turn takes, and a worker needs from one page to the next, is measured before the trace
and after it, with all workers and at the load that most jobs of the trace meet.
The trace is low, then high, then low again, and takes `--busy` of the machine on average: if more were used, workers
would slow each other down, which the simulation does not know.
"""

import argparse
import asyncio
import os
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import django
import httpx
import numpy as np

os.environ["DJANGO_SETTINGS_MODULE"] = "maas.settings"
os.environ["MAAS_LOG_LEVEL"] = "WARNING"
django.setup()
# ruff: noqa: E402  # the flows need the settings

from inference.scaling.pool import PoolTerms, Promise, Taming
from jobs.simulation.line import Numbers
from jobs.simulation.policies import Ours
from jobs.simulation.pool_run import PoolTrace, run_pool
from tests.benchmarks.circumstances import circumstances
from tests.flows.product import Product
from tests.live_stack import LiveStack
from tests.samples.hostile_models import looping
from tests.waiting import eventually

REPEATS, BUSY = 3, 0.35
POOL, MODEL = "counting", "counting"
LOOK_S = 2.0
"""Seconds between two looks of the scheduler."""
FOLLOW_EVERY_S = 1.0
MEAN_WORK_S, SPREAD = 0.4, 0.4
STEPS_S = (60.0, 120.0, 120.0)
HIGH = 3.0
"""The rate of the second step, as a multiple of that of the others."""
TURNS_TRIED = (50_000, 100_000, 200_000, 400_000, 800_000)
TRIES, TRIED_EVERY_S = 24, 0.27
"""The jobs of each number of turns with which pages are measured, and the mean time between two of them."""
PROMISE = Promise(0.95, 5.0)
TAMING = Taming(up=1, up_every_s=10.0, down=1, down_every_s=40.0)
MAX_WORKERS = 3
PAUSE_S = MAX_WORKERS * TAMING.down_every_s
"""The pause before a trace, in which the pool shrinks to its least and its past decisions expire."""
STARTS = 2
START_TIMEOUT_S, END_TIMEOUT_S = 120.0, 300.0
WAIT_GOAL, WORK_GOAL = 0.25, 0.10
PRODUCT = {"MAAS_LOG_LEVEL": "WARNING", "MAAS_WORKER_POOLS": "default"}
_POOL = f"""
from inference.registry.models import ModelPool, ScalingTerms, ServedModel
from tenants.core.db.unit_of_work import operator_work
with operator_work():
    pool = ModelPool.objects.create(name="{POOL}")
    ServedModel.objects.filter(name="{MODEL}").update(pool=pool)
    ScalingTerms.objects.create(
        pool=pool.name, mode="follow", least=1, most={MAX_WORKERS}, promised_percent={100 * PROMISE.share},
        promised_wait_s={PROMISE.wait_s}, up={TAMING.up}, up_every_s={TAMING.up_every_s}, down={TAMING.down},
        down_every_s={TAMING.down_every_s},
    )
"""
_NODE_START = f"""
from inference.registry.models import ScalingTerms
from tenants.core.db.unit_of_work import operator_work
with operator_work():
    ScalingTerms.objects.filter(pool="{POOL}").update(node_start_s=%.3f)
"""
_CAME = "SELECT coalesce(sum(came), 0)::int FROM inference_scalingminute WHERE pool = %s AND minute >= %s"
_PAGES = """
SELECT extract(epoch FROM page.created_at)::float8, extract(epoch FROM page.started_at)::float8,
    extract(epoch FROM page.finished_at)::float8, page.worker
FROM jobs_page page JOIN unnest(%s::uuid[]) WITH ORDINALITY sent (job_id, number) ON page.job_id = sent.job_id
WHERE page.state = 'succeeded' ORDER BY sent.number
"""


@dataclass(slots=True)
class Followed:
    """The workers of the pool, as a Deployment that follows what the policy wants."""

    product: Product
    folder: Path
    processes: list[subprocess.Popen[str]] = field(default_factory=list)
    leaving: list[subprocess.Popen[str]] = field(default_factory=list)
    counts: list[tuple[float, int]] = field(default_factory=list)
    """The number of workers since a time."""
    believed_s: list[float] = field(default_factory=list)
    """The seconds of a page that the policy knew at each look with work."""
    _started: int = 0

    def become(self, wanted: int) -> None:
        while len(self.processes) < wanted:
            self._start()
        while len(self.processes) > wanted:
            process = self.processes.pop()
            process.send_signal(signal.SIGTERM)
            self.leaving.append(process)
        self.counts.append((time.time(), wanted))

    def _start(self) -> None:
        self._started += 1
        with (self.folder / f"worker-{self._started}.log").open("wb") as log:
            self.processes.append(self.product.command("worker", output=log))

    def end(self) -> None:
        self.become(0)
        for process in self.leaving:
            process.wait(START_TIMEOUT_S)

    @contextmanager
    def following(self) -> Iterator[None]:
        stop = threading.Event()

        def follow() -> None:
            while not stop.wait(FOLLOW_EVERY_S):
                found = scaling(self.product)
                self.believed_s += [model["seconds_each"] for model in found["models"]]
                self.become(int(found["wanted"]))

        thread = threading.Thread(target=follow)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


@dataclass(frozen=True, slots=True)
class Pages:
    """The times at which pages came, began and ended, and the worker of each."""

    came: Numbers
    began: Numbers
    ended: Numbers
    workers: Sequence[str]

    @property
    def work(self) -> Numbers:
        return self.ended - self.began

    def between_s(self) -> float:
        """Return the usual seconds from the end of a worker's page to the beginning of its next, if that waited."""
        found, last = list[float](), dict[str, int]()
        for number in np.argsort(self.began).tolist():
            before = last.get(self.workers[number])
            if before is not None and self.came[number] < self.ended[before]:
                found.append(float(self.began[number] - self.ended[before]))
            last[self.workers[number]] = number
        return statistics.median(found or [0.0])


@dataclass(frozen=True, slots=True)
class Costs:
    """The seconds of each turn of a page, those beside them, and those from one page to the next."""

    each_s: float
    beside_s: float
    between_s: float

    def __str__(self) -> str:
        return (
            f"{self.beside_s * 1e3:.0f} ms a page, {self.each_s * 1e6:.2f} us a turn,"
            f" {self.between_s * 1e3:.0f} ms to the next page"
        )


@dataclass(frozen=True, slots=True)
class Replayed:
    waits: Numbers
    work: Numbers
    replica_s: float
    peak: int


def scaling(product: Product) -> dict[str, Any]:
    token = product.running.demo["MAAS_OPERATOR_TOKEN"]
    answer = httpx.get(
        f"{product.running.url}/v1/operator/scaling/pools/{POOL}",
        headers={"Authorization": f"Bearer {token}"},
        timeout=10,
        trust_env=False,
    )
    found: dict[str, Any] = answer.raise_for_status().json()
    return found


def start_time_s(product: Product, workers: Followed) -> float:
    """Return the seconds from the start of a worker's process until the policy counts it as ready."""
    began_s = time.monotonic()
    there = scaling(product)["ready"]
    workers.become(len(workers.processes) + 1)
    while scaling(product)["ready"] <= there:
        assert time.monotonic() - began_s < START_TIMEOUT_S, "the worker did not become ready"
        time.sleep(0.1)
    return time.monotonic() - began_s


# ---- jobs


async def submitted(product: Product, times: Sequence[float], turns: Sequence[int]) -> list[str]:
    """Send each job at its time, and return their ids."""
    headers = {"Authorization": f"Bearer {product.running.demo['MAAS_API_KEY']}", "Cache-Control": "no-store"}
    async with httpx.AsyncClient(base_url=product.running.url, headers=headers, timeout=60, trust_env=False) as http:
        began_s = time.monotonic()

        async def one(at_s: float, count: int) -> str:
            await asyncio.sleep(max(0.0, began_s + at_s - time.monotonic()))
            tensors = [
                {"name": "times", "datatype": "INT64", "shape": [1], "data": [count]},
                {"name": "x", "datatype": "FP32", "shape": [1], "data": [1.0]},
            ]
            answer = await http.post("/v1/jobs", json={"model": MODEL, "input": {"tensors": tensors}})
            assert answer.status_code == 202, answer.text
            return str(answer.json()["id"])

        return list(await asyncio.gather(*(one(at_s, count) for at_s, count in zip(times, turns, strict=True))))


def pages_of(product: Product, jobs: Sequence[str]) -> Pages:
    """Return the page of each job, once all have ended."""
    until_s = time.monotonic() + END_TIMEOUT_S
    while True:
        found = product.rows(_PAGES, list(jobs))
        if len(found) == len(jobs):
            came, began, ended, workers = zip(*found, strict=True)
            return Pages(np.array(came), np.array(began), np.array(ended), workers)
        assert time.monotonic() < until_s, f"{len(jobs) - len(found)} jobs did not succeed"
        time.sleep(0.5)


def costs_of_pages(product: Product) -> Costs:
    """Measure what a page takes at the load of the trace."""
    chance = np.random.default_rng(0)
    tried = chance.permutation(np.repeat(TURNS_TRIED, TRIES))
    times = np.cumsum(chance.exponential(TRIED_EVERY_S, len(tried)))
    pages = pages_of(product, asyncio.run(submitted(product, times.tolist(), tried.tolist())))
    each_s, beside_s = np.polyfit(tried, pages.work, 1)
    return Costs(float(each_s), float(beside_s), pages.between_s())


# ---- the trace


def planned(busy: float, seed: int) -> tuple[Numbers, Numbers]:
    """Return when requests come and the work of each."""
    chance = np.random.default_rng(seed)
    cores = os.cpu_count() or 1
    shares = (1.0, HIGH, 1.0)
    mean_share = sum(step_s * share for step_s, share in zip(STEPS_S, shares, strict=True)) / sum(STEPS_S)
    low = busy * cores / MEAN_WORK_S / mean_share
    times, begins_s = list[float](), 0.0
    for step_s, share in zip(STEPS_S, shares, strict=True):
        count = round(low * share * step_s)
        times += (begins_s + chance.uniform(0, step_s, count)).tolist()
        begins_s += step_s
    sigma = np.sqrt(np.log1p(SPREAD**2))
    work = chance.lognormal(np.log(MEAN_WORK_S) - sigma**2 / 2, sigma, len(times))
    return np.sort(np.array(times)), work


def replayed(product: Product, workers: Followed, times: Numbers, turns: Sequence[int]) -> Replayed:
    begins_s = time.time()
    jobs = asyncio.run(submitted(product, times.tolist(), turns))
    pages = pages_of(product, jobs)
    ends_s = max(begins_s + sum(STEPS_S), float(pages.ended.max()))
    counts = [(max(at_s, begins_s), count) for at_s, count in workers.counts if at_s < ends_s]
    ends = [at_s for at_s, _ in counts[1:]] + [ends_s]
    replica_s = sum(count * max(0.0, end_s - at_s) for (at_s, count), end_s in zip(counts, ends, strict=True))
    peak = max(count for at_s, count in counts if at_s >= begins_s)
    return Replayed(pages.began - pages.came, pages.work, float(replica_s), peak)


def report(simulated: Replayed, real: Sequence[Replayed]) -> None:
    print(
        "\n| | pages | wait p50 s | p95 s | late | work s | worker-seconds | peak |\n|---|--:|--:|--:|--:|--:|--:|--:|"
    )
    names = ["simulated", *(f"real {number}" for number in range(1, len(real) + 1))]
    for name, one in zip(names, [simulated, *real], strict=True):
        p50, p95 = np.quantile(one.waits, [0.5, 0.95])
        late = float((one.waits > PROMISE.wait_s).mean())
        print(
            f"| {name} | {len(one.waits)} | {p50:.2f} | {p95:.2f} | {late:.1%} | {one.work.sum():.1f} |"
            f" {one.replica_s:.0f} | {one.peak} |"
        )
    p95s = [float(np.quantile(one.waits, 0.95)) for one in real]
    said, median = float(np.quantile(simulated.waits, 0.95)), statistics.median(p95s)
    within = abs(said / median - 1) <= WAIT_GOAL or min(p95s) <= said <= max(p95s)
    work = float(simulated.work.sum()) / statistics.median(float(one.work.sum()) for one in real)
    print(
        f"\np95 wait: x{said / median:.2f} of the repeats' median {median:.2f} s ({min(p95s):.2f} to {max(p95s):.2f}):"
        f" {'held' if within else 'MISSED'} (goal {WAIT_GOAL:.0%} or their spread); work: x{work:.2f}:"
        f" {'held' if abs(work - 1) <= WORK_GOAL else 'MISSED'} (goal {WORK_GOAL:.0%})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--busy", type=float, default=BUSY, help="share of the machine that the work takes on average")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(circumstances())
    with tempfile.TemporaryDirectory() as folder, LiveStack(Path(folder, "var"), variables=PRODUCT) as stack:
        model = Path(folder, "counting.onnx")
        model.write_bytes(looping(hidden=True))
        started = stack.wait_until_ready()
        own = {"MAAS_WORKER_POOLS": POOL, "MAAS_WORKER_THREADS": "1", "MAAS_LOG_LEVEL": "WARNING"}
        product = Product(started, own)
        for command in (("models", "add", str(model), "--name", MODEL), ("shell", "-c", _POOL)):
            done = product.manage(*command)
            assert done.returncode == 0, done.stderr
        workers = Followed(product, Path(folder))
        try:
            compare(product, workers, given)
        finally:
            workers.end()


def compare(product: Product, workers: Followed, given: argparse.Namespace) -> None:
    while not scaling_known(product):
        time.sleep(0.5)
    starts_s = [start_time_s(product, workers) for _ in range(STARTS)]
    before = measured(product, workers)
    load_s = scaling(product)["load_s"]
    node_start_s = max(0.0, statistics.mean(starts_s) - load_s)
    assert product.manage("shell", "-c", _NODE_START % node_start_s).returncode == 0
    times, planned_s = planned(given.busy, given.seed)
    turns = np.maximum(1, np.round((planned_s - before.beside_s) / before.each_s)).astype(int)
    print(f"a worker starts in {statistics.mean(starts_s):.1f} s; before: {before}; {len(times)} jobs", flush=True)
    real, began_minute = [], int(time.time() // 60)
    with workers.following():
        for number in range(given.repeats):
            time.sleep(PAUSE_S)
            real.append(replayed(product, workers, times, turns.tolist()))
            print(f"repeat {number + 1}: p95 wait {np.quantile(real[-1].waits, 0.95):.2f} s", flush=True)
    ((came,),) = product.rows(_CAME, POOL, began_minute)
    after = measured(product, workers)
    print(f"after: {after}")
    work = np.mean([turns * costs.each_s + costs.beside_s for costs in (before, after)], axis=0)
    between_s = statistics.mean([before.between_s, after.between_s])
    terms = PoolTerms(PROMISE, node_start_s=node_start_s, load_s=load_s, least=1, most=MAX_WORKERS, taming=TAMING)
    trace = PoolTrace(POOL, PAUSE_S + times, work + between_s, terms, PAUSE_S + sum(STEPS_S))
    run = run_pool(trace, Ours(terms, 1), tick_s=LOOK_S)
    report(Replayed(run.waits, work, run.replica_s - PAUSE_S, run.peak), real)
    print(
        f"the policy counted {came} of {given.repeats * len(times)} jobs, and believed in"
        f" {statistics.median(workers.believed_s):.2f} s a page (mean {work.mean():.2f})"
    )


def measured(product: Product, workers: Followed) -> Costs:
    """Measure what pages take with all workers, and leave one."""
    workers.become(MAX_WORKERS)
    eventually(lambda: scaling(product)["ready"] == MAX_WORKERS, "all workers", START_TIMEOUT_S)
    costs = costs_of_pages(product)
    workers.become(1)
    return costs


def scaling_known(product: Product) -> bool:
    try:
        return bool(scaling(product)["pool"])
    except httpx.HTTPStatusError:
        return False


if __name__ == "__main__":
    main()
