"""Whether to look: for who never sends anything twice, looking and keeping would only cost.

Where hardly anything is found, only one key in many is still looked for and kept. It is chosen by the key itself: an
input that does come again is among the chosen each time, and what is found among them says that looking pays again.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

ENOUGH = 512
"""Looks, before anything is concluded."""
LEAST_SHARE = 0.01
"""Of looks that find something, to go on."""
BACK_SHARE = 0.02
BACK_FOUND = 2
SAMPLED = 32
"""While looking does not pay: one key in so many."""
MOST_KNOWN = 2_000


@dataclass(slots=True)
class _Tally:
    pays: bool = True
    looked: int = 0
    found: int = 0

    def count(self, looked: int, found: int) -> None:
        self.looked += looked
        self.found += found
        if self.pays:
            if self.looked >= ENOUGH:
                self._conclude(self.found >= LEAST_SHARE * self.looked)
        elif self.found >= BACK_FOUND and self.found >= BACK_SHARE * self.looked:
            self._conclude(True)
        elif self.looked >= ENOUGH:
            self._conclude(False)

    def _conclude(self, pays: bool) -> None:
        """What was long ago counts less and less; a change begins anew."""
        same = pays == self.pays
        self.pays = pays
        self.looked, self.found = (self.looked // 2, self.found // 2) if same else (0, 0)


class Worth(Generic[T]):
    """For each of what it is told of: in use, a tenant's calls of one model version."""

    def __init__(self) -> None:
        self._tallies: OrderedDict[T, _Tally] = OrderedDict()

    def looks(self, of: T, key: bytes) -> bool:
        tally = self._tallies.get(of)
        return tally is None or tally.pays or key[0] % SAMPLED == 0

    def count(self, of: T, *, looked: int, found: int) -> None:
        tally = self._tallies.get(of)
        if tally is None:
            tally = self._tallies[of] = _Tally()
            if len(self._tallies) > MOST_KNOWN:
                self._tallies.popitem(last=False)
        tally.count(looked, found)
