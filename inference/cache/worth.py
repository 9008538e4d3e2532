"""Decide whether it is worthwhile to look in the cache. For callers who never send the same input twice, looking and
storing would only cost time.

While nothing is looked up and stored, only the hashes of inputs are remembered, to notice when they begin to repeat:
the latest ones, and for very many inputs a sample that is always the same.
"""

from array import array
from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")

ENOUGH = 512
"""The number of looks before a conclusion is drawn."""
MIN_SHARE = 0.01
"""The share of looks that must find something for the looks to go on."""
BACK_SHARE = 0.02
"""The share of inputs that must repeat for the looks to begin again."""
BACK_REPEATED = 2
SAMPLED = 64
"""The divisor for the inputs in the sample."""
MAX_HASHES = 1024
MAX_KNOWN = 2_000


class _Hashes:
    """The hashes of inputs, each in the place that it has. A later one replaces it."""

    def __init__(self) -> None:
        self._places = array("I", bytes(4 * MAX_HASHES))
        self._seen = 0
        self._repeated = 0

    def repeat(self, mark: int, place: int) -> bool:
        """Note the hash. Return whether so many repeat that looking is worthwhile."""
        place %= MAX_HASHES
        self._seen += 1
        self._repeated += self._places[place] == mark
        self._places[place] = mark
        if self._repeated >= BACK_REPEATED and self._repeated >= BACK_SHARE * self._seen:
            return True
        if self._seen >= ENOUGH:
            # Older inputs count less and less.
            self._seen, self._repeated = self._seen // 2, self._repeated // 2
        return False


class _Tally:
    __slots__ = ("found", "latest", "looked", "sample")

    def __init__(self) -> None:
        self.looked = 0
        self.found = 0
        self.latest: _Hashes | None = None
        """The hashes of the latest inputs, or None while looking is worthwhile."""
        self.sample: _Hashes | None = None

    def looks(self, key: bytes) -> bool:
        if self.latest is None or self.sample is None:
            return True
        mark = hash(key) & 0xFFFF_FFFF
        if not self.latest.repeat(mark, mark) and not (
            mark % SAMPLED == 0 and self.sample.repeat(mark, mark // SAMPLED)
        ):
            return False
        self.looked = self.found = 0
        self.latest = self.sample = None
        return True

    def count(self, looked: int, found: int) -> None:
        self.looked += looked
        self.found += found
        if self.looked < ENOUGH:
            return
        if self.found < MIN_SHARE * self.looked and self.latest is None:
            self.latest, self.sample = _Hashes(), _Hashes()
        # Older looks count less and less.
        self.looked, self.found = self.looked // 2, self.found // 2


class Worth(Generic[T]):
    """A decision for each subject. In use, a subject is a tenant's calls of one model version."""

    def __init__(self) -> None:
        self._tallies: OrderedDict[T, _Tally] = OrderedDict()

    def looks(self, of: T, key: bytes) -> bool:
        tally = self._tallies.get(of)
        return tally is None or tally.looks(key)

    def count(self, of: T, *, looked: int, found: int) -> None:
        tally = self._tallies.get(of)
        if tally is None:
            tally = self._tallies[of] = _Tally()
            if len(self._tallies) > MAX_KNOWN:
                self._tallies.popitem(last=False)
        tally.count(looked, found)
