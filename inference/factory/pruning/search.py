"""Makes the fastest pruned file whose error on the calibration inputs stays within a bound."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import numpy as np
import onnx

from inference.factory.pruning.candidates import Attempt, ErrorOf, Progress, Weighed, make, weigh
from inference.factory.pruning.errors import PruningImpossible
from inference.factory.pruning.graph import load
from inference.factory.pruning.moments import Feeds, Runner
from inference.factory.pruning.planning import Plan, path

MAX_BYTES = 1 << 30
MAX_TRIED = 7
"""The number of files that are made and measured, at most."""
MIN_SAVED = 0.03
"""A file that saves less of the work is not worth having."""
SAME_WORK = 0.01
"""The search ends when the next larger plan that is known to fail has so little less work."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A file that was made, with its work and error."""

    path: Path
    kept: Mapping[str, int]
    work: float
    """Relative to the original."""
    error: float
    within: bool


@dataclass(frozen=True, slots=True)
class Pruned:
    """The file that was chosen and where it comes from."""

    path: Path
    work: float
    error: float
    bound: float
    units: Mapping[str, tuple[int, int]]
    """The number of units left and of all units, for each group that was pruned."""
    tried: tuple[Tried, ...]
    refused: Mapping[str, str]
    inputs: int
    source_digest: str

    def lineage(self) -> dict[str, Any]:
        """Return what is needed to tell how the file was made, in terms of JSON."""
        return {
            "transformation": "prune",
            "source_sha256": self.source_digest,
            "bound": self.bound,
            "calibration_error": self.error,
            "relative_work": self.work,
            "calibration_inputs": self.inputs,
            "groups": {name: {"kept": kept, "of": count} for name, (kept, count) in self.units.items()},
            "tried": [{"work": one.work, "error": one.error, "within": one.within} for one in self.tried],
            "refused": dict(self.refused),
            "tools": {"onnx": onnx.__version__, "numpy": np.__version__},
        }


def prune_to_bound(
    source: Path,
    calibration_inputs: Sequence[Feeds],
    *,
    into: Path,
    run: Runner,
    error_of: ErrorOf,
    bound: float,
    progress: Progress = lambda _share, _text: None,
    time_limit_s: float = 3600.0,
) -> Pruned:
    """Write the pruned file, or raise PruningImpossible. The inputs decide alone: nothing here is random.

    `error_of` compares a file with the original on the calibration inputs. A gate on other inputs has to follow.
    """
    if not calibration_inputs:
        raise PruningImpossible("there are no calibration inputs")
    if source.stat().st_size > MAX_BYTES:
        raise PruningImpossible(f"the file has more than {MAX_BYTES >> 20} MB")
    content = source.read_bytes()
    with TemporaryDirectory(prefix="prune-", dir=into.parent) as folder:
        attempt = Attempt(
            load(content), calibration_inputs, run, error_of, Path(folder), progress, monotonic() + time_limit_s
        )
        weighed = weigh(attempt)
        tried = _try_plans(attempt, weighed, bound)
        best = _best(tried, bound)
        best.path.replace(into)
    return Pruned(
        path=into,
        work=best.work,
        error=best.error,
        bound=bound,
        units={name: (count, weighed.groups[name].units) for name, count in best.kept.items()},
        tried=tuple(tried),
        refused=weighed.refused,
        inputs=len(calibration_inputs),
        source_digest=hashlib.sha256(content).hexdigest(),
    )


def _best(tried: Sequence[Tried], bound: float) -> Tried:
    within = [one for one in tried if one.within]
    if not within:
        least = min((one.error for one in tried), default=float("nan"))
        raise PruningImpossible(
            f"the least error of {len(tried)} pruned files is {least:.3g}; the bound is {bound:.3g}"
        )
    best = min(within, key=lambda one: one.work)
    if best.work > 1 - MIN_SAVED:
        saved = 100 * (1 - best.work)
        raise PruningImpossible(f"only {saved:.1f} % of the work can be saved with an error of at most {bound:.3g}")
    return best


def _try_plans(attempt: Attempt, weighed: Weighed, bound: float) -> list[Tried]:
    """Make files by plans that come ever closer to the bound, from both sides."""
    plans = path(weighed.curves, weighed.work)[1:]
    good, bad, target = -1, len(plans), bound**weighed.power
    tried: list[Tried] = []
    while bad - good > 1 and len(tried) < MAX_TRIED and not (tried and attempt.out_of_time):
        if good >= 0 and bad < len(plans) and plans[good].work - plans[bad].work < SAME_WORK * plans[0].work:
            break
        index = _next(plans, good, bad, target)
        attempt.progress(0.3 + 0.7 * len(tried) / MAX_TRIED, f"making file {len(tried) + 1}")
        file = make(attempt, weighed, plans[index], len(tried))
        error = attempt.error_of(file)
        work = plans[index].work / weighed.work.total({})
        tried.append(Tried(file, plans[index].kept, work, error, error <= bound))
        good, bad = (index, bad) if error <= bound else (good, index)
        if error > 0 and plans[index].error > 0:
            target = plans[index].error * (bound / error) ** weighed.power
    return tried


def _next(plans: Sequence[Plan], good: int, bad: int, target: float) -> int:
    """Return the plan between the two whose expected error comes next to the target."""
    fitting = [index for index in range(good + 1, bad) if plans[index].error <= target]
    return fitting[-1] if fitting and fitting[-1] > good else (good + bad) // 2 if good >= 0 else (good + 1 + bad) // 2
