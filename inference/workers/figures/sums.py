"""Counts of a model version or of one of its files, as sums that can be added and subtracted."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields


@dataclass(frozen=True, slots=True)
class ModelSums:
    pages: float = 0
    page_wait_s: float = 0
    """Seconds from the time a page may run to its claim."""
    batches: float = 0
    pieces: float = 0
    rows: float = 0
    padded: float = 0
    """The number of tokens, pixels or rows that were run, padding included."""
    useful: float = 0
    batch_wait_s: float = 0
    run_s: float = 0
    failed_batches: float = 0
    dropped: float = 0
    """Pages or rows that were not run because too many waited, no caller waited any more, or it was too late."""
    loads: float = 0
    load_s: float = 0
    failed_loads: float = 0
    evictions: float = 0

    def __add__(self, other: "ModelSums") -> "ModelSums":
        return ModelSums(*(getattr(self, name) + getattr(other, name) for name in NAMES))

    def since(self, before: "ModelSums") -> Mapping[str, float]:
        """Return the sums that have grown, by name."""
        grown = {name: getattr(self, name) - getattr(before, name) for name in NAMES}
        return {name: more for name, more in grown.items() if more}

    def as_json(self) -> dict[str, float]:
        return {name: value for name, value in asdict(self).items() if value}

    @property
    def queue_wait_ms(self) -> float | None:
        return _mean(1000 * self.page_wait_s, self.pages)

    @property
    def batch_wait_ms(self) -> float | None:
        return _mean(1000 * self.batch_wait_s, self.pieces)

    @property
    def rows_per_batch(self) -> float | None:
        return _mean(self.rows, self.batches)

    @property
    def cost_per_batch(self) -> float | None:
        return _mean(self.padded, self.batches)

    @property
    def padding_percent(self) -> float | None:
        return _mean(100 * (self.padded - self.useful), self.padded)

    @property
    def run_ms(self) -> float | None:
        return _mean(1000 * self.run_s, self.batches)

    @property
    def seconds_per_load(self) -> float | None:
        return _mean(self.load_s, self.loads)


NAMES = tuple(part.name for part in fields(ModelSums))
NOTHING = ModelSums()


def summed(sums: Iterable[ModelSums]) -> ModelSums:
    total = NOTHING
    for one in sums:
        total += one
    return total


def sums_of(sent: Mapping[str, float]) -> ModelSums:
    """Build sums from what a worker sent. Unknown names are ignored: it may be of another version."""
    return ModelSums(**{name: float(value) for name, value in sent.items() if name in NAMES})


def _mean(total: float, count: float) -> float | None:
    return total / count if count else None
