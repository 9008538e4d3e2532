"""Answers that took long are told again for a while: pure but for what it keeps, of one process."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

V = TypeVar("V")
MOST_OF_TIME = 0.05
"""That may be spent on finding the same answer anew."""
QUICK_S = 0.5
"""What is found within that is always found anew."""
LONGEST_S = 300.0
CAPACITY = 500


@dataclass(frozen=True, slots=True)
class _Kept(Generic[V]):
    answer: V
    until_s: float


@dataclass
class ToldAgain(Generic[V]):
    _kept: "OrderedDict[Hashable, _Kept[V]]" = field(default_factory=OrderedDict)

    def find(self, of: Hashable, now_s: float) -> V | None:
        kept = self._kept.get(of)
        return kept.answer if kept is not None and now_s < kept.until_s else None

    def keep(self, of: Hashable, answer: V, *, took_s: float, now_s: float) -> None:
        self._kept.pop(of, None)
        if took_s < QUICK_S:
            return
        self._kept[of] = _Kept(answer, now_s + min(LONGEST_S, took_s / MOST_OF_TIME))
        while len(self._kept) > CAPACITY:
            self._kept.popitem(last=False)
