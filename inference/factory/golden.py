"""The golden set: inputs on which a variant is compared with its source, split into two halves without a common row.

Methods that calibrate on inputs use one half, and the gate judges on the other. A variant that was judged on the inputs
that it was calibrated on would look better than it is.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, repeat, zip_longest

import numpy as np

from inference.factory.samples import (
    Feeds,
    Sample,
    SampleInvalid,
    check_feeds,
    digest,
    layout,
    row_digests,
    rows_are_free,
)
from inference.runtime.tensors import NodeArg

MIN_TO_SPLIT = 4
"""The number of different rows below which all of them are held out and none is left for calibration."""
MAX_CALIBRATION_ROWS = 500
"""The most rows of a group for calibration. More are held out, since rare faults show only in many rows."""
BATCHES = (1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 8, 33, 1024, 64, 128, 256, 512, 1024)
"""The numbers of rows of successive runs. The last one repeats. A fault may show only alone, or only in company."""


@dataclass(frozen=True, slots=True)
class GoldenSet:
    calibration: tuple[Sample, ...]
    held_out: tuple[Sample, ...]
    """The samples that judge, those that show the most first."""
    generated: bool
    """Set if the inputs were generated, not chosen by the owner."""
    seed: int
    digest: str
    """The SHA-256 of the inputs of both halves."""

    def calibration_feeds(self, max_rows: int) -> list[Feeds]:
        """Return inputs to calibrate on, with at most this number of rows, of every group by turns."""
        totals = accumulate(sample.rows for sample in self.calibration)
        return [sample.feeds for sample, total in zip(self.calibration, totals, strict=True) if total <= max_rows]

    @property
    def held_out_rows(self) -> int:
        return sum(sample.rows for sample in self.held_out)


def golden_of(
    groups: Mapping[str, Iterable[Feeds]], inputs: Sequence[NodeArg], *, seed: int = 0, generated: bool = False
) -> GoldenSet:
    """Split the inputs of each group. They are cut into rows if the model's signature lets the rows vary.

    The half of a row follows from its content, so the same row is never in both.
    """
    free, units = rows_are_free(inputs), dict[bytes, _Unit]()
    for group, many in groups.items():
        for number, feeds in enumerate(many):
            check_feeds(feeds, inputs, f"sample {number + 1} of {group!r}")
            own_layout = layout(feeds)
            for row, key in enumerate(row_digests(feeds) if free else (digest(feeds),)):
                units.setdefault(key, _Unit(group, own_layout, feeds, row if free else None))
    if not units:
        raise SampleInvalid("the golden set has no rows; give at least one sample")
    halves = _halves(units)
    return GoldenSet(
        calibration=tuple(_samples([units[key] for key in halves[0]])),
        held_out=tuple(_samples([units[key] for key in halves[1]])),
        generated=generated,
        seed=seed,
        digest=hashlib.sha256(b"".join(sorted(units))).hexdigest(),
    )


def of_samples(samples: Sequence[Feeds], inputs: Sequence[NodeArg], *, seed: int = 0) -> GoldenSet:
    """Return the golden set of the owner's samples."""
    return golden_of({"sample": samples}, inputs, seed=seed)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A part of the given inputs that is not cut: a row, or a whole sample if `row` is None."""

    group: str
    layout: object
    feeds: Feeds
    row: int | None


def _halves(units: Mapping[bytes, _Unit]) -> tuple[list[bytes], list[bytes]]:
    """Return the digests of the rows for calibration and those held out, in the order in which they were given."""
    if len(units) < MIN_TO_SPLIT:
        return [], list(units)
    by_group: dict[str, list[bytes]] = {}
    for key, unit in units.items():
        by_group.setdefault(unit.group, []).append(key)
    calibration = {key for keys in by_group.values() for key in sorted(keys)[1::2][:MAX_CALIBRATION_ROWS]}
    return [key for key in units if key in calibration], [key for key in units if key not in calibration]


def _samples(units: Sequence[_Unit]) -> Iterator[Sample]:
    """Yield runs of several sizes, the groups by turns."""
    alike: dict[tuple[str, object], list[_Unit]] = {}
    for unit in units:
        alike.setdefault((unit.group, unit.layout), []).append(unit)
    together = (part for turn in zip_longest(*map(_batches, alike.values())) for part in turn if part is not None)
    for number, part in enumerate(together, 1):
        rows_in_words = f"{len(part)} row{'' if len(part) == 1 else 's'}"
        yield Sample(f"{part[0].group}, {rows_in_words}, number {number}", part[0].group, _joined(part), len(part))


def _batches(units: Sequence[_Unit]) -> Iterator[Sequence[_Unit]]:
    sizes = repeat(1) if units[0].row is None else chain(BATCHES, repeat(BATCHES[-1]))
    at = 0
    while at < len(units):
        size = next(sizes)
        yield units[at : at + size]
        at += size


def _joined(units: Sequence[_Unit]) -> Feeds:
    if units[0].row is None:
        return units[0].feeds
    parts = [(unit.feeds, slice(unit.row, unit.row + 1)) for unit in units if unit.row is not None]
    return {name: np.concatenate([feeds[name][row] for feeds, row in parts]) for name in units[0].feeds}
