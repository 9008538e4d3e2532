"""The golden set: inputs on which a variant is compared with its source, split into two halves without a common row.

Methods that calibrate on inputs use one half, and the gate judges on the other. A variant that was judged on the inputs
that it was calibrated on would look better than it is.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat, zip_longest

from inference.factory.samples import (
    Feeds,
    Sample,
    SampleInvalid,
    check_feeds,
    cut,
    digest,
    joined,
    layout,
    rows_are_free,
)
from inference.runtime.tensors import NodeArg

MIN_TO_SPLIT = 4
"""The number of different rows below which all of them are held out and none is left for calibration."""
BATCHES = (1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 8, 33, 64, 128, 256, 512, 1024)
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

    @property
    def held_out_rows(self) -> int:
        return sum(sample.rows for sample in self.held_out)


def golden_of(
    groups: Mapping[str, Iterable[Feeds]], inputs: Sequence[NodeArg], *, seed: int = 0, generated: bool = False
) -> GoldenSet:
    """Split the inputs of each group. They are cut into rows if the model's signature lets the rows vary.

    The half of a row follows from its content, so the same row is never in both.
    """
    units: dict[bytes, tuple[str, Feeds]] = {}
    for group, many in groups.items():
        for number, feeds in enumerate(many):
            check_feeds(feeds, inputs, f"sample {number + 1} of {group!r}")
            for unit in cut(feeds) if rows_are_free(inputs) else (feeds,):
                units.setdefault(digest(unit), (group, unit))
    if not units:
        raise SampleInvalid("the golden set has no rows; give at least one sample")
    free = rows_are_free(inputs)
    halves = _halves(units)
    return GoldenSet(
        calibration=tuple(_samples([units[key] for key in halves[0]], free=free)),
        held_out=tuple(_samples([units[key] for key in halves[1]], free=free)),
        generated=generated,
        seed=seed,
        digest=hashlib.sha256(b"".join(sorted(units))).hexdigest(),
    )


def of_samples(samples: Sequence[Feeds], inputs: Sequence[NodeArg], *, seed: int = 0) -> GoldenSet:
    """Return the golden set of the owner's samples."""
    return golden_of({"sample": samples}, inputs, seed=seed)


def _halves(units: Mapping[bytes, tuple[str, Feeds]]) -> tuple[list[bytes], list[bytes]]:
    """Return the digests of the rows for calibration and those held out, in the order in which they were given."""
    if len(units) < MIN_TO_SPLIT:
        return [], list(units)
    calibration: set[bytes] = set()
    for group in dict.fromkeys(group for group, _ in units.values()):
        ordered = sorted(key for key, (own, _) in units.items() if own == group)
        calibration.update(ordered[1::2])
    return [key for key in units if key in calibration], [key for key in units if key not in calibration]


def _samples(units: Sequence[tuple[str, Feeds]], *, free: bool) -> Iterator[Sample]:
    """Yield runs of growing size, the groups by turns."""
    alike: dict[tuple[str, object], list[Feeds]] = {}
    for group, feeds in units:
        alike.setdefault((group, layout(feeds)), []).append(feeds)
    batches = [[(group, part) for part in _batches(rows, free=free)] for (group, _), rows in alike.items()]
    together = (each for turn in zip_longest(*batches) for each in turn if each is not None)
    for number, (group, part) in enumerate(together, 1):
        rows_in_words = f"{len(part)} row{'' if len(part) == 1 else 's'}"
        yield Sample(f"{group}, {rows_in_words}, number {number}", group, joined(part) if free else part[0], len(part))


def _batches(rows: Sequence[Feeds], *, free: bool) -> Iterator[Sequence[Feeds]]:
    sizes = chain(BATCHES, repeat(BATCHES[-1])) if free else repeat(1)
    at = 0
    while at < len(rows):
        size = next(sizes)
        yield rows[at : at + size]
        at += size
