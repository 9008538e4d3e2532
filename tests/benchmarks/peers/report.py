"""Print the results of bench_peers as tables in Markdown."""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.benchmarks.peers.callers import Figures
from tests.benchmarks.peers.loads import Load
from tests.benchmarks.peers.ours import OUR_EDGE, OURS

MAX_SPREAD = 4.0
MAX_PACED_SHARE = 0.6


@dataclass
class Turns:
    """The figures that one contestant reached under one load, turn by turn."""

    busy: list[Figures] = field(default_factory=list)
    half: list[Figures] = field(default_factory=list)
    neighbors: list[Figures] = field(default_factory=list)
    """The figures of our product, measured just before each."""
    paced: list[tuple[Figures, Figures]] = field(default_factory=list)
    """The figures of our product and of this one, at half of the rate that this one reached."""

    def ratio(self) -> float:
        """Return our requests per second divided by its own: the median of neighboring turns."""
        return statistics.median(own.per_s / other.per_s for own, other in zip(self.neighbors, self.busy, strict=True))


Results = Mapping[tuple[str, str], Turns]
"""By the load's name and the contestant's."""


@dataclass(frozen=True)
class Goal:
    """A multiple of the best peer's rate. It is None where the row is only for comparison."""

    times: float | None = None


GOALS = {
    "mixed": Goal(2.2),
    "alone": Goal(2.2),
    "short": Goal(1.3),
    "int8": Goal(4.0),
    "memory": Goal(1.25),
    "tiny": Goal(1.5),
}


def print_report(results: Results, loads: Sequence[Load], peers: Sequence[str], missing: Mapping[str, str]) -> None:
    crowds = [load for load in loads if load.callers > 1]
    if crowds:
        _print_rates(results, crowds, peers)
    if len(crowds) < len(loads):
        _print_one_caller(results, peers)
    if any(load.half for load in loads):
        _print_half(results, [load for load in loads if load.half])
        _print_paced(results, [load for load in loads if load.half], peers)
    costs = [figures.client_us for turns in results.values() for figures in turns.busy]
    if costs:
        low, high = min(costs), max(costs)
        print(f"\nThe client took {low:.0f} to {high:.0f} µs of processor time for an answer, of the same two cores.")
    for what, why in missing.items():
        print(f"\nNot measured: {what}: {why}")


def _print_rates(results: Results, loads: Sequence[Load], peers: Sequence[str]) -> None:
    names = (OURS, *peers)
    print("Requests per second, and p50 in milliseconds: medians of turns.\n")
    print(f"| load | {' | '.join(names)} | best peer: ours to it | must reach | |")
    print("|---|" + "--|" * (len(names) + 3))
    for load in loads:
        cells = " | ".join(_cell(results.get((load.name, name))) for name in names)
        print(f"| {load.title} | {cells} | {_verdict(results, load, peers)} |")


def _cell(turns: Turns | None) -> str:
    if turns is None or not turns.busy:
        return "-"
    return f"{_median(turns.busy, lambda one: one.per_s):.0f}/s, {_median(turns.busy, _p50):.0f}"


def _verdict(results: Results, load: Load, peers: Sequence[str]) -> str:
    goal = GOALS.get(load.name, Goal())
    found = {name: results[load.name, name] for name in peers if (load.name, name) in results}
    among = {name: turns for name, turns in found.items() if turns.busy}
    if not among:
        return "- | - | -"
    best = min(among, key=lambda name: among[name].ratio())
    ratio = among[best].ratio()
    if goal.times is None:
        return f"{best}: x{ratio:.2f} | - | -"
    return f"{best}: x{ratio:.2f} | x{goal.times:g} | {_word(ratio >= goal.times)}"


def _print_one_caller(results: Results, peers: Sequence[str]) -> None:
    print("\nTiny model, one caller: p50 in milliseconds, medians of turns.\n")
    waits = {
        name: _median(results["one", name].busy, _p50) for name in (OURS, OUR_EDGE, *peers) if ("one", name) in results
    }
    print(f"| {' | '.join(waits)} |")
    print("|" + "--|" * len(waits))
    print(f"| {' | '.join(f'{wait:.2f}' for wait in waits.values())} |\n")
    of_peers = [waits[name] for name in peers if name in waits]
    if OURS in waits and of_peers:
        middle, best = statistics.median(of_peers), min(of_peers)
        print(f"Ours at most the median peer's {middle:.2f}: {_word(waits[OURS] <= middle)}.", end=" ")
        if OUR_EDGE in waits:
            print(f"Edge mode at most the best peer's {best:.2f}: {_word(waits[OUR_EDGE] <= best)}.")


def _print_half(results: Results, loads: Sequence[Load]) -> None:
    print("\nOurs at half of its own rate, arrivals by chance: milliseconds.\n")
    print(f"| load | p50 | p99 | p99/p50 | at most x{MAX_SPREAD:g} |")
    print("|---|--|--|--|--|")
    for load in loads:
        turns = results.get((load.name, OURS))
        if turns is None or not turns.half:
            continue
        p99, spread = _median(turns.half, lambda one: one.p99_ms), _spread(turns.half)
        times = f"{_median(turns.half, _p50):.1f} | {p99:.1f} | x{spread:.1f}"
        print(f"| {load.title.rpartition(',')[0]} | {times} | {_word(spread <= MAX_SPREAD)} |")


def _print_paced(results: Results, loads: Sequence[Load], peers: Sequence[str]) -> None:
    print("\nAt half of a peer's rate, arrivals by chance: p99 in milliseconds.\n")
    print(f"| load | peer | ours | the peer's | at most x{MAX_PACED_SHARE:g} |")
    print("|---|--|--|--|--|")
    for load in loads:
        for name in peers:
            paced = results[load.name, name].paced if (load.name, name) in results else []
            if paced:
                share = statistics.median(own.p99_ms / other.p99_ms for own, other in paced)
                own_ms = statistics.median(own.p99_ms for own, _other in paced)
                other_ms = statistics.median(other.p99_ms for _own, other in paced)
                verdict = f"x{share:.2f} {_word(share <= MAX_PACED_SHARE)}"
                print(f"| {load.title.rpartition(',')[0]} | {name} | {own_ms:.1f} | {other_ms:.1f} | {verdict} |")


def _spread(figures: Sequence[Figures]) -> float:
    return _median(figures, lambda one: one.p99_ms / one.p50_ms)


def _p50(figures: Figures) -> float:
    return figures.p50_ms


def _median(figures: Iterable[Figures], of: Callable[[Figures], float]) -> float:
    return statistics.median(of(one) for one in figures)


def _word(held: bool, /) -> str:
    return "held" if held else "MISSED"
