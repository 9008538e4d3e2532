"""Prunes a file by the half of its golden set that is for calibration, under the bounds that the gate will apply."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from math import inf, isnan, prod
from pathlib import Path
from typing import Any

import numpy.typing as npt

from inference.core.calls import Call
from inference.factory.bounds import MEASURES
from inference.factory.golden import GoldenSet, golden_of
from inference.factory.measures.pairs import Kind
from inference.factory.measuring import USUAL, Conditions, measure_variant
from inference.factory.pruning.candidates import Progress
from inference.factory.pruning.errors import PruningImpossible
from inference.factory.pruning.moments import Feeds, Runner
from inference.factory.pruning.search import Pruned, prune_to_bound
from inference.factory.report import VariantReport
from inference.factory.samples import Sample, rows_are_free
from inference.factory.sessions import OpenSession, run_for

WITHIN = 0.9
"""The share of each bound that is used up. The rest is for inputs that differ from those of the calibration."""
BATCH_VALUES = 8192
"""Input values for each run, so that the values within the graph fit into memory."""
TIME_LIMIT_S = 3600.0


def prune_variant(
    source: Path,
    golden: GoldenSet,
    bounds: Mapping[str, object],
    kind: Kind | None = None,
    *,
    into: Path,
    open_session: OpenSession,
    progress: Progress,
    call: Call,
    conditions: Conditions = USUAL,
    time_limit_s: float = TIME_LIMIT_S,
) -> Pruned:
    """Write the fastest pruned file that keeps the bounds on inputs that it was not fitted to.

    Raise PruningImpossible if there is none. The gate has to follow, on the half that is held out.
    """
    with closing(open_session(source)) as session:
        inputs = session.inputs
    by_group: dict[str, list[Feeds]] = {}
    for sample in golden.calibration:
        by_group.setdefault(sample.group, []).append(sample.feeds)
    if not by_group:
        raise PruningImpossible("the golden set is too small to be split; give more samples")
    parts = golden_of(by_group, inputs, seed=golden.seed, generated=golden.generated)
    checked = replace(parts, calibration=())

    def error_of(path: Path) -> float:
        report = measure_variant(
            source,
            path,
            checked,
            bounds,
            kind,
            open_session=open_session,
            progress=lambda _share, _text: None,
            call=call,
            conditions=replace(conditions, performance_s=0),
        )
        return share_of_bounds(report)

    return prune_to_bound(
        source,
        list(_runs(parts.calibration, free=rows_are_free(inputs))),
        into=into,
        run=runner(open_session, call),
        error_of=error_of,
        bound=WITHIN,
        progress=progress,
        time_limit_s=time_limit_s,
    )


def share_of_bounds(report: VariantReport) -> float:
    """Return how much of the tightest bound is used up: 1 at the bound, and infinity for a fault."""
    found = {measure.name: measure.value for measure in report.measured.measures}
    if report.measured.faults or not found:
        return inf
    shares = [
        (1 - found[name]) / max(1 - bound, 1e-9) if MEASURES[name].at_least else found[name] / max(bound, 1e-9)
        for name, bound in report.bounds.items()
        if name in found
    ]
    return inf if any(isnan(share) for share in shares) else max(shares, default=inf)


def runner(open_session: OpenSession, call: Call) -> Runner:
    """Return a function that runs files in sessions of the caller's kind, such as isolated ones."""

    def run(path: Path, names: Sequence[str], feeds: Iterable[Feeds]) -> Iterator[Sequence[npt.NDArray[Any]]]:
        with closing(open_session(path)) as session:
            for one in feeds:
                found = run_for(call, session, one)
                yield [found[name] for name in names]

    return run


def _runs(samples: Sequence[Sample], *, free: bool) -> Iterator[Feeds]:
    for sample in samples:
        values = max(prod(value.shape[1:]) for value in sample.feeds.values())
        rows = max(1, BATCH_VALUES // max(values, 1))
        if not free:
            yield sample.feeds
            continue
        for start in range(0, sample.rows, rows):
            yield {name: value[start : start + rows] for name, value in sample.feeds.items()}
