"""The engine's figures in Redis: the counts of each worker since its start, and of all in the last minutes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from typing import Any

import redis
from django.conf import settings

from inference.core.prompt_redis import single_try

NOW_PREFIX = "maas:figures:now:"
SPAN_PREFIX = "maas:figures:"
SPAN_S = 10
"""The length in seconds of one span over which figures are added up."""
SPANS = 60
KEPT_S = SPAN_S * (SPANS + 6)
NOW_EXPIRES_S = 10


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
    for sum_of_part in sums:
        total += sum_of_part
    return total


def sums_of(sent: Mapping[str, float]) -> ModelSums:
    """Build sums from what a worker sent. Unknown names are ignored: it may be of another version."""
    return ModelSums(**{name: float(value) for name, value in sent.items() if name in NAMES})


def _mean(total: float, count: float) -> float | None:
    return total / count if count else None


@dataclass(frozen=True, slots=True)
class PartNow:
    """The figures of a model version (`role` is empty) or of one of its files."""

    key: str
    role: str
    sums: ModelSums
    waiting_rows: int = 0
    held_bytes: int = 0

    @property
    def name(self) -> str:
        return f"{self.key}/{self.role}"


@dataclass(frozen=True, slots=True)
class WorkerFigures:
    parts: tuple[PartNow, ...] = ()
    reasons: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """The number of times this worker took a model, by model version and reason."""


@dataclass(frozen=True, slots=True)
class Span:
    at_s: int
    parts: Mapping[str, ModelSums]

    def of(self, key: str) -> ModelSums:
        return summed(sums for name, sums in self.parts.items() if name.partition("/")[0] == key)


@cache
def _connection() -> "redis.Redis":
    return single_try(settings.MAAS_REDIS_URL)


def span_at(now_s: float) -> int:
    return int(now_s) // SPAN_S * SPAN_S


def tell(worker: str, figures: WorkerFigures, grown: Mapping[str, Mapping[str, float]], now_s: float) -> None:
    """Publish a worker's statistics, and their increase since the last call by part. Raises `redis.RedisError`."""
    content = {
        "parts": [
            [part.key, part.role, part.sums.as_json(), part.waiting_rows, part.held_bytes] for part in figures.parts
        ],
        "reasons": {key: dict(counts) for key, counts in figures.reasons.items()},
    }
    span = f"{SPAN_PREFIX}{span_at(now_s)}"
    with _connection().pipeline(transaction=True) as pipeline:
        pipeline.set(NOW_PREFIX + worker, json.dumps(content), ex=NOW_EXPIRES_S)
        for name, more in grown.items():
            for count, by in more.items():
                pipeline.hincrbyfloat(span, f"{name}|{count}", by)
        if grown:
            pipeline.expire(span, KEPT_S)
        pipeline.execute()


def told_by(workers: Sequence[str]) -> dict[str, WorkerFigures]:
    """Return the figures by worker, for all that have published any. Raises `redis.RedisError`."""
    if not workers:
        return {}
    found: list[Any] = _connection().mget([NOW_PREFIX + name for name in workers])
    return {
        name: _figures(json.loads(content)) for name, content in zip(workers, found, strict=True) if content is not None
    }


def last_spans(now_s: float) -> list[Span]:
    """Return the last spans, the oldest first, without the span that is still running. Raises `redis.RedisError`."""
    starts = [span_at(now_s) - SPAN_S * back for back in range(SPANS, 0, -1)]
    with _connection().pipeline(transaction=False) as pipeline:
        for start in starts:
            pipeline.hgetall(f"{SPAN_PREFIX}{start}")
        found = pipeline.execute()
    return [Span(start, _parts(counts.items())) for start, counts in zip(starts, found, strict=True)]


def _figures(content: Mapping[str, Any]) -> WorkerFigures:
    parts = tuple(PartNow(key, role, sums_of(sums), *rest[:2]) for key, role, sums, *rest in content["parts"])
    return WorkerFigures(parts, content["reasons"])


def _parts(counts: Iterable[tuple[bytes, bytes]]) -> dict[str, ModelSums]:
    found: dict[str, dict[str, float]] = {}
    for field_, value in counts:
        name, _, count = field_.decode().rpartition("|")
        found.setdefault(name, {})[count] = float(value)
    return {name: sums_of(sums) for name, sums in found.items()}
