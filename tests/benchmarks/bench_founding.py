"""Compare the whole product with a server that does one run per request, with several models and tenants that repeat
requests.

Run from the repository's root: python -m tests.benchmarks.bench_founding [--rounds 5] [--seconds 3]. It takes less than
four minutes. Both receive the same requests at the same random moments, whether or not they keep up, at shares of the
capacity of the other server alone, which is measured before each. Turns are short and many, so that other work on the
machine affects both. The traffic of each share continues where its last turn ended. All responses are compared.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median

import numpy as np

from tests.benchmarks.bench_front import serving
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.founding_traffic import (
    MODELS,
    TENANTS,
    Answer,
    Arrival,
    Times,
    Traffic,
    played,
    times,
)
from tests.benchmarks.peers.callers import CallFailed, body_of, together
from tests.benchmarks.peers.loads import LOADS, THREADS, ServedFile, served_files
from tests.benchmarks.peers.ours import QUIET, add_rows, key_header, manage, own_wire
from tests.benchmarks.peers.wires import PlainJson, Vector, Wire
from tests.live_stack import LiveStack

ROUNDS = 5
SHARES = (0.85, 1.2)
"""Shares of the capacity of the other server alone. Above 1, its queue grows for as long as requests arrive."""
SECONDS = 3.0
TRIES = 2
CAPACITY_RAMP_S, CAPACITY_S, CAPACITY_CALLERS = 0.3, 1.7, 8
WARM_UP_PER_S, WARM_UP_S = 30.0, 3.0
CAPACITY_SEED, WARM_UP_SEED = 98, 99
MUST_SAVE = 0.75
MIN_COSINE = 0.999
GIVEN = {"embed": "mixed", "memory": "memory", "tiny": "tiny"}
"""The inputs for each model, which are those of bench_peers."""

ONE_BY_ONE, NOTHING_KEPT, EVERYTHING = "one request, one run", "ours, `no-store`", "ours"


@dataclass(frozen=True)
class Way:
    """A server, and the requests that each tenant sends to each of its models."""

    name: str
    port: int
    wires: Sequence[Mapping[str, Wire]]

    def request(self, arrival: Arrival) -> bytes:
        given = LOADS[GIVEN[arrival.model]].given(arrival.number)
        return self.wires[arrival.tenant][arrival.model].request(given)

    def play(self, traffic: Sequence[Arrival]) -> list[Answer]:
        return played(self.port, traffic, [self.request(one) for one in traffic])

    def vector(self, answer: Answer) -> Vector:
        return self.wires[answer.asked.tenant][answer.asked.model].vector(body_of(answer.whole))


@dataclass
class Row:
    """All turns at the same share of the other server's capacity."""

    traffic: Traffic
    rates: list[float] = field(default_factory=list)
    turns: dict[str, list[Answer]] = field(default_factory=lambda: defaultdict(list))
    saved: list[float] = field(default_factory=list)
    """The share saved of the mean time in the system, round by round."""


class Bench:
    def __init__(self, ways: Sequence[Way], seconds: float) -> None:
        self._ways = ways
        self._seconds = seconds
        self._turns = 0
        self.rows = {share: Row(Traffic(seed)) for seed, share in enumerate(SHARES)}
        self.capacities: list[float] = []

    def warm_up(self) -> None:
        for way in self._ways[1:]:
            way.play(Traffic(WARM_UP_SEED).arrivals(WARM_UP_PER_S, WARM_UP_S))

    def play_round(self) -> None:
        for share, row in self.rows.items():
            capacity = carried(self._ways[0])
            self.capacities.append(capacity)
            row.rates.append(share * capacity)
            arrivals = row.traffic.arrivals(share * capacity, self._seconds)
            answers = {way.name: way.play(arrivals) for way in self._in_turn()}
            self._compare(answers)
            for name, all_ in answers.items():
                row.turns[name] += all_
            row.saved.append(1 - times(answers[EVERYTHING]).mean_ms / times(answers[ONE_BY_ONE]).mean_ms)
            _say(f"{share:.0%} of {capacity:.0f}/s: {row.saved[-1]:.1%} less, load {os.getloadavg()[0]:.1f}")

    def _in_turn(self) -> Sequence[Way]:
        """Return the ways in an order that changes from row to row and from round to round."""
        first = self._turns % len(self._ways)
        self._turns += 1
        return (*self._ways[first:], *self._ways[:first])

    def _compare(self, answers: Mapping[str, Sequence[Answer]]) -> None:
        """Compare every response of the product with the other server's response to the same request."""
        other, *ours = self._ways
        for way in ours:
            for answer, others in zip(answers[way.name], answers[other.name], strict=True):
                if not (answer.refusal or others.refusal):
                    _check(way.vector(answer), other.vector(others), f"{way.name}, {answer.asked}")


def _check(vector: Vector, expected: Vector, what: str) -> None:
    cosine = float(vector @ expected / np.linalg.norm(vector) / np.linalg.norm(expected))
    if not cosine >= MIN_COSINE:
        raise CallFailed(f"answered otherwise: cosine {cosine:.4f}, {what}")


def carried(way: Way) -> float:
    """Return the requests per second of the same mixture when there is always a request waiting."""
    ready = [way.request(one) for one in Traffic(CAPACITY_SEED).arrivals(100.0, 5.0)]

    def ask(number: int) -> bytes:
        return ready[number % len(ready)]

    return together(way.port, ask, CAPACITY_CALLERS, CAPACITY_S, CAPACITY_RAMP_S).per_s


@contextmanager
def one_by_one(files: Mapping[str, ServedFile], at_once: int) -> Iterator[Way]:
    """Serve that many runs at once, which share all cores."""
    places = {name: (str(file.weights), str(file.tokenizer or "")) for name, file in files.items()}
    variables = {
        "FOUNDING_AT_ONCE": str(at_once),
        "FOUNDING_FILES": json.dumps(places),
        "PEER_THREADS": str(THREADS // at_once),
        "TOKENIZERS_PARALLELISM": "false",
    }
    with serving("granian", "app", variables, module="tests.benchmarks.founding_app") as port:
        wires = {name: PlainJson(f"/{name}") for name in files}
        yield Way(ONE_BY_ONE, port, [wires] * len(TENANTS))


def best_at_once(files: Mapping[str, ServedFile]) -> tuple[int, Mapping[int, float]]:
    """Try one run on all cores, and one run for each core, in turns. Return the one with the higher capacity."""
    with one_by_one(files, 1) as one, one_by_one(files, THREADS) as for_each:
        tried = [(carried(one), carried(for_each)) for _ in range(TRIES)]
    found = {1: fmean(turn[0] for turn in tried), THREADS: fmean(turn[1] for turn in tried)}
    return max(found, key=lambda at_once: found[at_once]), found


@contextmanager
def our_ways(files: Mapping[str, ServedFile], folder: Path) -> Iterator[list[Way]]:
    """Yield the whole product in two ways, called by several tenants. One of them neither reads nor fills the cache."""
    with LiveStack(folder / "var", variables=QUIET) as stack:
        stack.wait_until_ready()
        add_rows(files, stack.home)
        keys = [_key_of_new_tenant(stack.home, number) for number in range(len(TENANTS))]
        yield [
            Way(name, stack.port, [_wires(files, key + more) for key in keys])
            for name, more in ((NOTHING_KEPT, "Cache-Control: no-store\r\n"), (EVERYTHING, ""))
        ]


def _key_of_new_tenant(home: Path, number: int) -> str:
    names = ("--name", f"Tenant {number}", "--email", f"tenant-{number}@example.com")
    return key_header(json.loads(manage(home, "tenant_create", *names))["api_key"])


def _wires(files: Mapping[str, ServedFile], headers: str) -> Mapping[str, Wire]:
    return {name: own_wire(file, headers) for name, file in files.items()}


def report(rows: Mapping[float, Row], rounds: int, seconds: float) -> None:
    for share, row in rows.items():
        low, high = min(row.rates), max(row.rates)
        print(
            f"\n{share:.0%} of what it carries: {low:.0f} to {high:.0f}/s, {rounds} times {seconds:g} s,"
            f" {row.traffic.repeated:.0%} asked before\n"
        )
        print("| way | answered | refused | known | mean ms | of each model | p50 ms | p99 ms |")
        print("|---|--|--|--|--|--|--|--|")
        found = {name: times(answers) for name, answers in row.turns.items()}
        for name in (ONE_BY_ONE, NOTHING_KEPT, EVERYTHING):
            print(_line(name, found[name]))
        print(f"\n{_verdict(found, row.saved)}")


def _line(name: str, one: Times) -> str:
    each = ", ".join(f"{name} {mean_ms:.0f}" for name, mean_ms in one.means_ms.items())
    figures = f"{one.mean_ms:.1f} | {each} | {one.p50_ms:.1f} | {one.p99_ms:.1f}"
    return f"| {name} | {one.answered} | {one.refused} | {one.known:.0%} | {figures} |"


def _verdict(found: Mapping[str, Times], rounds: Sequence[float]) -> str:
    saved = 1 - found[EVERYTHING].mean_ms / found[ONE_BY_ONE].mean_ms
    without = 1 - found[NOTHING_KEPT].mean_ms / found[ONE_BY_ONE].mean_ms
    held = saved >= MUST_SAVE and not found[EVERYTHING].refused
    each = f"rounds {min(rounds):.0%} to {max(rounds):.0%}, median {median(rounds):.0%}"
    return (
        f"Mean time in system: **{saved:.1%} less** ({each}), must be {MUST_SAVE:.0%} less:"
        f" {'held' if held else 'MISSED'}. With `no-store`: {without:.1%} less."
    )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each turn")
    return parser.parse_args()


def main() -> None:
    options = _options()
    # All started processes inherit the affinity. Both servers have the same two cores, and so has the client.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])
    begun = circumstances()
    with tempfile.TemporaryDirectory(prefix="bench-founding-") as written:
        folder = Path(written)
        files = served_files(folder)
        at_once, carries = best_at_once(files)
        with one_by_one(files, at_once) as other, our_ways(files, folder) as ours:
            bench = Bench([other, *ours], options.seconds)
            bench.warm_up()
            for _ in range(options.rounds):
                bench.play_round()
    print(f"{begun} at the start\n{circumstances()} at the end\n")
    tried = ", ".join(f"{count} at once {per_s:.0f}/s" for count, per_s in carries.items())
    low, high = min(bench.capacities), max(bench.capacities)
    mixture = ", ".join(f"{name} {parts}" for name, parts in MODELS.items())
    print(f"{len(TENANTS)} tenants, requests for {mixture} in {sum(MODELS.values())}, {THREADS} cores for all")
    print(f"One request, one run carries: {tried}; the better one again before each row: {low:.0f} to {high:.0f}/s")
    report(bench.rows, options.rounds, options.seconds)


if __name__ == "__main__":
    main()
