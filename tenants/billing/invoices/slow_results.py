"""A cache for results that took long to compute. Pure except for its own state, one per process."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

V = TypeVar("V")
MAX_OF_TIME = 0.05
"""The largest share of the time that may be spent on computing the same result again."""
QUICK_S = 0.5
"""Results that took less time than this are always computed again."""
LONGEST_S = 300.0
CAPACITY = 500


@dataclass(frozen=True, slots=True)
class _Kept(Generic[V]):
    answer: V
    until_s: float


@dataclass
class SlowResults(Generic[V]):
    _kept: "OrderedDict[Hashable, _Kept[V]]" = field(default_factory=OrderedDict)

    def find(self, of: Hashable, now_s: float) -> V | None:
        kept = self._kept.get(of)
        return kept.answer if kept is not None and now_s < kept.until_s else None

    def keep(self, of: Hashable, answer: V, *, took_s: float, now_s: float) -> None:
        self._kept.pop(of, None)
        if took_s < QUICK_S:
            return
        self._kept[of] = _Kept(answer, now_s + min(LONGEST_S, took_s / MAX_OF_TIME))
        while len(self._kept) > CAPACITY:
            self._kept.popitem(last=False)
