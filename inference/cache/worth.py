"""Decide whether it is worthwhile to look in the cache. For callers who never send the same input twice, looking and
storing would only cost time.

If hardly anything is found, only a small part of the calls is still looked up and stored: half of them by their keys,
and half by their turns. An input that is chosen by its key is chosen each time, which soon shows that some of very many
inputs repeat. But a handful of inputs may have no such key, and every so many calls one of them has its turn.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

ENOUGH = 512
"""The number of looks before a conclusion is drawn."""
MIN_SHARE = 0.01
"""The share of looks that must find something for the looks to go on."""
BACK_SHARE = 0.02
BACK_FOUND = 2
SAMPLED = 128
"""The divisor for the calls that are still looked up while looking is not worthwhile."""
MAX_KNOWN = 2_000


@dataclass(slots=True)
class _Tally:
    pays: bool = True
    looked: int = 0
    found: int = 0
    calls: int = 0
    """The number of calls for which it was asked whether to look, while looking was not worthwhile."""

    def looks(self, key: bytes) -> bool:
        if self.pays:
            return True
        self.calls += 1
        return key[0] % (2 * SAMPLED) == 0 or self.calls % (2 * SAMPLED) == 0

    def count(self, looked: int, found: int) -> None:
        self.looked += looked
        self.found += found
        if self.pays:
            if self.looked >= ENOUGH:
                self._conclude(self.found >= MIN_SHARE * self.looked)
        elif self.found >= BACK_FOUND and self.found >= BACK_SHARE * self.looked:
            self._conclude(True)
        elif self.looked >= ENOUGH:
            self._conclude(False)

    def _conclude(self, pays: bool) -> None:
        """Draw the conclusion. Older looks then count less and less, and a change of the conclusion resets the
        counts.
        """
        same = pays == self.pays
        self.pays = pays
        self.looked, self.found = (self.looked // 2, self.found // 2) if same else (0, 0)


class Worth(Generic[T]):
    """A decision for each subject. In use, a subject is a tenant's calls of one model version."""

    def __init__(self) -> None:
        self._tallies: OrderedDict[T, _Tally] = OrderedDict()

    def looks(self, of: T, key: bytes) -> bool:
        tally = self._tallies.get(of)
        return tally is None or tally.looks(key)

    def pays(self, of: T) -> bool:
        tally = self._tallies.get(of)
        return tally is None or tally.pays

    def count(self, of: T, *, looked: int, found: int) -> None:
        tally = self._tallies.get(of)
        if tally is None:
            tally = self._tallies[of] = _Tally()
            if len(self._tallies) > MAX_KNOWN:
                self._tallies.popitem(last=False)
        tally.count(looked, found)
