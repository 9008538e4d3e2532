"""The outcome of a simulation over all its pools, as JSON and as a table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any

import numpy as np

from jobs.simulation.comparison import PolicyName
from jobs.simulation.pool_run import PoolRun

WINDOW_S = 300.0
"""The time within which a pool that is tamed turns at most once."""
P95 = 0.95


@dataclass(frozen=True, slots=True)
class Outcome:
    scenario: str
    policy: PolicyName
    runs: Sequence[PoolRun]
    mean_answer_s: float | None = None
    """The mean time to an answer that is promised, if any."""

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "scenario": self.scenario,
            "policy": self.policy.value,
            **_figures(self.runs),
            "pools": {run.trace.name: _pool(run) for run in self.runs},
        }
        if self.mean_answer_s is not None:
            found["promised_mean_answer_s"] = self.mean_answer_s
        return found

    def table(self) -> str:
        """Return a line for each pool, and one for all."""
        lines: list[tuple[str, ...]] = [("pool", "requests", "missed", "p95 wait", "replica-hours", "cost", "peak")]
        lines += [_line(run.trace.name, _figures([run])) for run in self.runs]
        if len(self.runs) > 1:
            lines.append(_line("all", _figures(self.runs)))
        notes = [note for run in self.runs for note in _notes(run)]
        if self.mean_answer_s is not None:
            mean_s = _figures(self.runs)["mean_answer_s"]
            notes.append(f"mean time to an answer: {1000 * mean_s:.0f} ms, promised {1000 * self.mean_answer_s:.0f} ms")
        widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
        rows = ["  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)) for line in lines]
        return "\n".join([*rows, *notes])


def _figures(runs: Sequence[PoolRun]) -> dict[str, Any]:
    requests = sum(len(run.trace.arrivals) * run.trace.stands_for for run in runs)
    missed = sum(run.missed * run.trace.stands_for for run in runs)
    weights = np.concatenate([np.full(len(run.waits), run.trace.stands_for) for run in runs])
    waits = np.concatenate([run.waits for run in runs])
    answers_s = sum(float((run.waits + run.trace.work[: len(run.waits)]).sum()) * run.trace.stands_for for run in runs)
    return {
        "requests": requests,
        "missed_promises": missed / requests if requests else 0.0,
        "p95_wait_s": _quantile(waits, weights, P95),
        "mean_answer_s": answers_s / float(weights.sum()) if len(weights) else 0.0,
        "replica_hours": sum(run.replica_hours for run in runs),
        "cost": sum(run.cost for run in runs),
        "peak_replicas": peak_together(runs),
    }


def _pool(run: PoolRun) -> dict[str, Any]:
    terms, trace = run.trace.terms, run.trace
    target = {} if run.target is None else {"target_wait_s": run.target.wait_s, "equal_misses": run.target.is_equal}
    return {
        **_figures([run]),
        **target,
        "promise": {"share": terms.promise.share, "wait_s": terms.promise.wait_s},
        "work_hours": float(trace.work.sum()) * trace.stands_for / 3600,
        "price_per_hour": terms.price_per_hour,
        "lead_s": terms.lead_s,
        "one_in": trace.stands_for,
        "turns": len(run.turned),
        "max_turns_in_a_window": max_within(run.turned, WINDOW_S),
        "replicas_lost": run.lost * trace.stands_for,
        "over_time": [
            [round(moment.at_s), moment.wanted * trace.stands_for, moment.ready * trace.stands_for]
            for moment in run.moments
        ],
    }


def _notes(run: PoolRun) -> Iterator[str]:
    """Yield what a reader of the table must know."""
    trace, terms = run.trace, run.trace.terms
    price = f"a replica costs {terms.price_per_hour:g} an hour"
    yield f"{trace.name}: {price}, and works {terms.lead_s:g} s after its order"
    if trace.stands_for > 1:
        yield f"{trace.name}: one in {trace.stands_for} requests was simulated, on as many fewer replicas"
    if run.target is not None and not run.target.is_equal:
        yield f"{trace.name}: no target of the autoscaler misses as few as ours; this is {run.target.wait_s:g} s"


def max_within(times_s: Sequence[float], window_s: float) -> int:
    """Return the most of these times, which are in order, that lie in one window."""
    most, first = 0, 0
    for last, at_s in enumerate(times_s):
        while times_s[first] <= at_s - window_s:
            first += 1
        most = max(most, last - first + 1)
    return most


def peak_together(runs: Iterable[PoolRun]) -> int:
    """Return the most replicas that all pools had at one time."""
    changes = list[tuple[float, int]]()
    for run in runs:
        before = 0
        for at_s, count in run.counts:
            changes.append((at_s, (count - before) * run.trace.stands_for))
            before = count
    by_time = groupby(sorted(changes), key=lambda change: change[0])
    return max(accumulate(sum(more for _, more in at_once) for _, at_once in by_time), default=0)


def _quantile(values: "np.ndarray[Any, Any]", weights: "np.ndarray[Any, Any]", share: float) -> float:
    if not len(values):
        return 0.0
    order = np.argsort(values)
    until = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(until, share * until[-1])])


def _line(name: str, figures: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        name,
        f"{figures['requests']:,}",
        f"{figures['missed_promises']:.3%}",
        f"{figures['p95_wait_s']:.2f} s",
        f"{figures['replica_hours']:,.1f}",
        f"{figures['cost']:,.2f}",
        f"{figures['peak_replicas']:,}",
    )
