"""Test how the policy fills the runs of callers who come back, on a clock of its own."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush

import pytest

from inference.batching.company import Company
from inference.batching.cost_fit import Coefficients, CostFit
from inference.batching.limits import BatchLimits
from inference.batching.policy import Dispatch, Idle, PolicyConfig, WaitUntil, decide, hold_s
from inference.batching.waiting import QueuedPiece, WaitingPieces

MEMORY_BOUND = CostFit(100, {}, Coefficients(fixed_s=0.026, row_s=0.0007, padded_s=0.0))
"""A model whose weights are read from memory for each run, however many rows it has."""
SECONDS = 20.0
FILLING = 30.0

Away = Callable[[random.Random], float]
"""A function that returns the seconds from a caller's answer to its next request."""


@dataclass(slots=True, eq=False, kw_only=True)
class Request(QueuedPiece):
    caller: int


@dataclass
class Callers:
    """Callers who send their next request some time after each answer, to a model of this cost."""

    count: int
    away: Away
    max_wait_ms: float
    now: float = 0.0
    rows: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = random.Random(1)
        self._limits = BatchLimits(max_padded=None, max_wait_ms=self.max_wait_ms)
        self._waiting, self._company = WaitingPieces(), Company()
        self._coming: list[tuple[float, int]] = []
        for caller in range(self.count):
            self._leave(caller)

    def rate(self) -> float:
        while self.now < SECONDS:
            self._take_in()
            decision = decide(self._waiting, PolicyConfig(self._limits, MEMORY_BOUND, self._company), self.now)
            match decision:
                case Idle():
                    self.now = self._coming[0][0]
                case WaitUntil(at_s):
                    self.now = min([at_s, *(came_s for came_s, _caller in self._coming[:1])])
                case Dispatch(pieces):
                    self._run([piece for piece in pieces if isinstance(piece, Request)])
        return sum(self.rows) / self.now

    def _run(self, batch: list[Request]) -> None:
        self._waiting.serve(batch[0])
        for piece in batch:
            self._waiting.remove(piece, run=True)
        self.now += MEMORY_BOUND.predict(len(batch), len(batch))
        self._take_in()
        self._company.run_ended(None, len(batch), self.now)
        self.rows.append(len(batch))
        for piece in batch:
            self._leave(piece.caller)

    def _leave(self, caller: int) -> None:
        heappush(self._coming, (self.now + self.away(self._random), caller))

    def _take_in(self) -> None:
        while self._coming and self._coming[0][0] <= self.now:
            came_s, caller = heappop(self._coming)
            request = Request(tenant="a", group=None, length=1, rows=1, queued_s=came_s, caller=caller)
            self._waiting.add(request, 1.0)
            self._company.arrived(None, 1, came_s, hold_s(self._limits, MEMORY_BOUND))


def back_at_once(chance: random.Random) -> float:
    return chance.uniform(0.001, 0.008)


def gain(count: int, away: Away) -> float:
    return Callers(count, away, FILLING).rate() / Callers(count, away, 0.0).rate()


@pytest.mark.parametrize("count", [2, 8, 64])
def test_callers_who_come_back_at_once_are_served_faster_together(count: int) -> None:
    assert gain(count, back_at_once) > 1.15


def test_a_run_holds_all_who_come_back() -> None:
    callers = Callers(64, back_at_once, FILLING)
    callers.rate()
    assert min(callers.rows[20:]) > 60


def test_a_caller_alone_is_served_as_if_nothing_were_held_back() -> None:
    assert gain(1, back_at_once) == 1.0


@pytest.mark.parametrize("count", [2, 8, 64])
@pytest.mark.parametrize("longest_s", [0.02, 0.1, 1.0])
def test_callers_who_come_back_later_lose_nothing(count: int, longest_s: float) -> None:
    assert gain(count, lambda chance: chance.uniform(0.001, longest_s)) > 0.98
