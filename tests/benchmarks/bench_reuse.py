"""Measure documents of which two in five were sent before: pages per second with the cache, and with every page run.

Run from the repository's root: python -m tests.benchmarks.bench_reuse [documents] [rounds]. It starts its own product.
Both ways send the same documents in the same order, over the same stretch of time, in turns of one round each. One way
sends `Cache-Control: no-store`.
"""

import random
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.benchmarks.circumstances import circumstances
from tests.flows.caller import Caller
from tests.live_stack import LiveStack
from tests.samples.pdfs import scanned_pdf

DOCUMENTS = 10
ROUNDS = 3
REPEATED = 0.4
PAGES_EACH = 1
CALLERS = 4
DPI = 150
MUST_GAIN = 1.6


@dataclass
class Way:
    name: str
    headers: dict[str, str]
    seconds: float = 0.0
    documents: int = 0
    known: int = 0
    answers_s: list[float] = field(default_factory=list)

    @property
    def documents_per_s(self) -> float:
        return self.documents / self.seconds


def traffic(documents: int, round_number: int) -> list[bytes]:
    """Return documents in an order in which every repeat comes after its first. The rest is new to the product."""
    chance = random.Random(round_number)
    repeats = round(documents * REPEATED)
    new = [document(f"round {round_number}, document {number}") for number in range(documents - repeats)]
    order = list(new)
    for one in chance.choices(new, k=repeats):
        order.insert(chance.randint(order.index(one) + 1, len(order)), one)
    return order


def document(name: str) -> bytes:
    return scanned_pdf(*(f"Delivery note, {name}, sheet {sheet}" for sheet in range(1, PAGES_EACH + 1)), dpi=DPI)


def send(caller: Caller, way: Way, data: bytes) -> tuple[float, bool]:
    started_s = time.perf_counter()
    files = {"file": ("scan.pdf", data)}
    headers = {"Prefer": "wait=60", **way.headers}
    answer = caller.http.post("/v1/jobs", data={"model": "ocr"}, files=files, headers=headers)
    job = answer.json()
    while job["state"] not in {"succeeded"}:
        if job["state"] not in {"queued", "running"}:
            raise RuntimeError(f"job {job['id']} is {job['state']}")
        job = caller.http.get(f"/v1/jobs/{job['id']}", headers={"Prefer": "wait=60"}).json()
    return time.perf_counter() - started_s, job["pages_cached"] == job["pages_total"]


def run_round(caller: Caller, way: Way, order: Sequence[bytes]) -> None:
    started_s = time.perf_counter()
    with ThreadPoolExecutor(CALLERS) as callers:
        done = list(callers.map(lambda data: send(caller, way, data), order))
    way.seconds += time.perf_counter() - started_s
    way.documents += len(order)
    way.known += sum(known for _, known in done)
    way.answers_s += [answer_s for answer_s, _ in done]


def measure(documents: int, rounds: int) -> list[Way]:
    ways = [
        Way("every page run", {"Cache-Control": "no-store"}),
        Way("known results used", {"Cache-Control": ""}),
    ]
    with (
        tempfile.TemporaryDirectory(prefix="bench-reuse-") as folder,
        LiveStack(Path(folder) / "var", variables={"MAAS_LOG_LEVEL": "WARNING"}) as stack,
    ):
        running = stack.wait_until_ready()
        with Caller(running.url, running.demo["MAAS_API_KEY"]) as caller:
            for warm_up in range(4):
                send(caller, ways[0], document(f"warm-up {warm_up}"))
            for round_number in range(rounds):
                order = traffic(documents, round_number)
                # Pictures that the first way opened would spare the second one its rendering. So the order of the ways
                # changes, and each way has its own documents.
                for way in ways if round_number % 2 else reversed(ways):
                    marked = [data + f"\n% {way.name}".encode() for data in order]
                    run_round(caller, way, marked)
    return ways


def main(documents: int = DOCUMENTS, rounds: int = ROUNDS) -> None:
    ways = measure(documents, rounds)
    print(circumstances())
    print(
        f"{rounds} rounds of {documents} documents of {PAGES_EACH} scanned page each, {REPEATED:.0%} sent before, "
        f"read by `ocr`, {CALLERS} callers\n"
    )
    print("| way | documents/s | of these known | p50 s | p99 s |")
    print("|---|--|--|--|--|")
    for way in ways:
        p50, p99 = np.percentile(way.answers_s, (50, 99))
        share = way.known / way.documents
        print(f"| {way.name} | {way.documents_per_s:.2f} | {share:.0%} | {p50:.2f} | {p99:.2f} |")
    gain = ways[1].documents_per_s / ways[0].documents_per_s
    print(f"\ngain {gain:.2f}, must reach {MUST_GAIN}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
