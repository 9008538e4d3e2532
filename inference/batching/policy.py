"""The choice of the waiting pieces that run next, or of the time until which to wait for more pieces."""

from collections.abc import Iterator
from dataclasses import dataclass

from inference.batching.company import Company
from inference.batching.cost_fit import CostFit
from inference.batching.limits import BatchLimits
from inference.batching.waiting import QueuedPiece, WaitingPieces

TRUST_FIT_S = 5.0
"""Seconds after a run for which the fit is trusted enough to refuse work. If the device has run nothing for longer, the
work is tried: a fit that is too slow by some accident would otherwise never see another run.
"""
TRUSTED_OBSERVATIONS = 8
HOLD_SHARE = 0.5
"""The share of the fixed cost of a run for which a batch is held back at most."""
LEAST_HOLD_S = 0.0005
"""The shortest time for which it pays to hold a batch back: to sleep and wake takes a tenth of it."""
RETURNING_SHARE = 0.75
"""The share of a run's rows that must usually return within the hold time. If fewer do, the rest need a run of their
own, and holding back only delays both.
"""
MISSING_ROWS = 0.5
"""The number of rows that are expected with some certainty. The average of a single caller who returns is below 1."""


@dataclass(frozen=True, slots=True)
class PolicyConfig:
    limits: BatchLimits
    fit: CostFit
    company: Company
    last_run_s: float | None = None
    """The time at which the last run ended."""

    def hold_s(self) -> float:
        return hold_s(self.limits, self.fit)

    def trusts_fit(self, now: float) -> bool:
        return (
            self.fit.observations >= TRUSTED_OBSERVATIONS
            and self.last_run_s is not None
            and now - self.last_run_s <= TRUST_FIT_S
        )


def hold_s(limits: BatchLimits, fit: CostFit) -> float:
    """Return the longest time for which a batch may be held back, by what a run costs whatever its size."""
    longest_s = min(limits.max_wait_ms / 1000, HOLD_SHARE * fit.coefficients.fixed_s)
    return longest_s if longest_s >= LEAST_HOLD_S else 0.0


@dataclass(frozen=True, slots=True)
class Dispatch:
    pieces: tuple[QueuedPiece, ...]
    """The pieces of the batch. The first in the fair order comes first."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """The refusal of a piece whose deadline has passed, or would pass before the end of its run."""

    piece: QueuedPiece
    predicted_s: float


@dataclass(frozen=True, slots=True)
class WaitUntil:
    at_s: float


@dataclass(frozen=True, slots=True)
class Idle:
    pass


Decision = Dispatch | Refuse | WaitUntil | Idle


def decide(waiting: WaitingPieces, config: PolicyConfig, now: float) -> Decision:
    first = waiting.first()
    if first is None:
        return Idle()
    next_late = waiting.first_deadline()
    if next_late is not None and _at_latest(next_late) <= now:
        return Refuse(next_late, 0.0)
    alone_s = config.fit.predict(first.rows, first.rows * first.length)
    if config.trusts_fit(now) and _at_latest(first) < now + alone_s:
        return Refuse(first, alone_s)
    hold_until_s = _hold_until(waiting, first, config, now)
    if hold_until_s > now:
        return WaitUntil(hold_until_s)
    return _fill(waiting, first, config, now)


def _at_latest(piece: QueuedPiece) -> float:
    return float("inf") if piece.deadline_s is None else piece.deadline_s


def _hold_until(waiting: WaitingPieces, first: QueuedPiece, config: PolicyConfig, now: float) -> float:
    """Return the time until which to hold back. It is after `now` only if holding back gains more than it costs."""
    company, longest_s = config.company, config.hold_s()
    missing = company.missing(first.group)
    if missing < MISSING_ROWS or waiting.rows >= config.limits.max_rows:
        return now
    if company.usual_share < RETURNING_SHARE:
        return now
    until_s = company.held_until_s(longest_s)
    next_late = waiting.first_deadline()
    if next_late is not None:
        rows = waiting.rows + round(missing)
        until_s = min(until_s, _at_latest(next_late) - config.fit.predict(rows, rows * next_late.length))
    return until_s


def _fill(waiting: WaitingPieces, first: QueuedPiece, config: PolicyConfig, now: float) -> Dispatch:
    batch = _Batch(first, config, now)
    nearest = _Nearest(waiting, first)
    while batch.rows < config.limits.max_rows and (candidate := nearest.piece()) is not None:
        if batch.takes(candidate):
            nearest.took()
        else:
            nearest.go_no_further()
    return Dispatch(tuple(batch.pieces))


class _Nearest:
    """Candidates from both sides of the first piece's length. The nearer candidate comes first."""

    def __init__(self, waiting: WaitingPieces, first: QueuedPiece) -> None:
        self._first = first
        self._sides: list[Iterator[QueuedPiece]] = [
            (piece for piece in waiting.up_to_length(first) if piece is not first),
            waiting.beyond_length(first),
        ]
        self._next = [next(side, None) for side in self._sides]
        self._side = 0

    def piece(self) -> QueuedPiece | None:
        up_to, beyond = self._next
        if up_to is None or beyond is None:
            self._side = 0 if beyond is None else 1
        else:
            nearer_beyond = beyond.length - self._first.length < self._first.length - up_to.length
            self._side = 1 if nearer_beyond else 0
        return self._next[self._side]

    def took(self) -> None:
        self._next[self._side] = next(self._sides[self._side], None)

    def go_no_further(self) -> None:
        """Skip the rest of this side. The pieces that follow there are as far away, or farther."""
        self._next[self._side] = None


@dataclass(slots=True)
class _Level:
    length: int
    rows: int


class _Batch:
    def __init__(self, first: QueuedPiece, config: PolicyConfig, now: float) -> None:
        self.pieces = [first]
        self.rows = first.rows
        self.levels = [_Level(first.length, first.rows)]
        """The number of rows by length, shortest first."""
        self._useful = first.rows * first.length
        self._limits = config.limits
        self._cost = config.fit.coefficients
        self._now = now
        self._trusts_fit = config.trusts_fit(now)
        self._at_latest = _at_latest(first)

    def takes(self, piece: QueuedPiece) -> bool:
        rows = self.rows + piece.rows
        padded = rows * max(piece.length, self.levels[-1].length)
        if rows > self._limits.max_rows:
            return False
        if self._limits.max_padded is not None and padded > self._limits.max_padded:
            return False
        at_latest = min(self._at_latest, _at_latest(piece))
        if self._trusts_fit and at_latest < self._now + self._cost.predict(rows, padded):
            return False
        useful = self._useful + piece.rows * piece.length
        if not self._put(piece, padding=padded - useful):
            return False
        self.pieces.append(piece)
        self.rows, self._useful, self._at_latest = rows, useful, at_latest
        return True

    def _put(self, piece: QueuedPiece, *, padding: int) -> bool:
        """Add the piece to its level and return True, if the batch is still cheaper as a whole than as two."""
        level = self._level(piece)
        level.rows += piece.rows
        if self._cost.padded_s * padding <= self._cost.fixed_s or self._padding_pays():
            return True
        level.rows -= piece.rows
        if not level.rows:
            self.levels.remove(level)
        return False

    def _level(self, piece: QueuedPiece) -> _Level:
        """Return the piece's level. Candidates come from the middle outward, so it is at an end or new there."""
        for level in (self.levels[0], self.levels[-1]):
            if level.length == piece.length:
                return level
        level = _Level(piece.length, 0)
        self.levels.insert(0 if piece.length < self.levels[0].length else len(self.levels), level)
        return level

    def _padding_pays(self) -> bool:
        """Return True if no cut into a shorter and a longer batch would save more padding than a run costs."""
        shorter_rows, longest = 0, self.levels[-1].length
        most = self._cost.fixed_s
        padded_s = self._cost.padded_s
        for level in self.levels:
            shorter_rows += level.rows
            if padded_s * shorter_rows * (longest - level.length) > most:
                return False
        return True
