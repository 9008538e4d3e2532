"""Decide whether it is worthwhile to look in the cache. For callers who never send the same input twice, looking and
storing would only cost time.

While nothing is looked up and stored, only the hashes of inputs are remembered, to notice when they begin to repeat:
the latest ones, and for very many inputs a sample that is always the same.
"""

from array import array
from collections import OrderedDict
from typing import Generic, TypeVar

Who = TypeVar("Who")

ENOUGH = 128
"""The number of calls before a conclusion is drawn. A wrong one costs little, because repeats are noticed without
looks too.
"""
FEW = 16
"""The same for a caller of a model for which looks by all callers have found hardly anything."""
MIN_SHARE = 0.01
"""The share of what is looked for that must be found for the looks to go on."""
BACK_SHARE = 0.02
"""The share of inputs that must repeat for the looks to begin again."""
BACK_REPEATED = 2
SAMPLED = 64
"""The divisor for the inputs in the sample."""
MAX_HASHES = 256
MAX_KNOWN = 10_000
"""The most callers of models that are remembered. Each takes up to 2 kB."""
MAX_SHARES = 2_000


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


class _Share:
    """The share of what was looked for that was found. Each call counts alike, and older ones less and less."""

    __slots__ = ("enough", "found", "looked")

    def __init__(self, enough: int) -> None:
        self.enough = enough
        self.looked = self.found = 0.0

    def seldom(self, found: float) -> bool | None:
        """Count a call of which this share was found. Return whether looks seldom find something, or None if more calls
        are needed to say so.
        """
        self.looked += 1
        self.found += found
        if self.looked < self.enough:
            return None
        seldom = self.found < MIN_SHARE * self.looked
        self.looked, self.found = self.looked / 2, self.found / 2
        return seldom


class _Tally:
    __slots__ = ("latest", "sample", "share")

    def __init__(self, enough: int) -> None:
        self.share = _Share(enough)
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
        self.share = _Share(ENOUGH)
        self.latest = self.sample = None
        return True

    def count(self, found: float) -> None:
        if self.share.seldom(found) and self.latest is None:
            self.latest, self.sample = _Hashes(), _Hashes()


class Worth(Generic[Who]):
    """A decision for each caller and model, or whatever else callers ask for."""

    def __init__(self) -> None:
        self._tallies: OrderedDict[tuple[Who, str], _Tally] = OrderedDict()
        self._shares: dict[str, tuple[_Share, bool]] = {}
        """For each model, the share of the looks of all callers, and whether it was small when it was last judged."""

    def looks(self, of: tuple[Who, str], key: bytes) -> bool:
        tally = self._tallies.get(of)
        return tally is None or tally.looks(key)

    def count(self, of: tuple[Who, str], *, looked: int, found: int) -> None:
        """Count a call for which so much was looked for and found."""
        found_share = found / looked
        tally = self._tallies.get(of)
        share, seldom = self._shares.get(of[1]) or (_Share(ENOUGH), False)
        if tally is None:
            tally = self._tallies[of] = _Tally(FEW if seldom else ENOUGH)
            if len(self._tallies) > MAX_KNOWN:
                self._tallies.popitem(last=False)
        tally.count(found_share)
        judged = share.seldom(found_share)
        if len(self._shares) >= MAX_SHARES:
            self._shares.clear()
        self._shares[of[1]] = share, seldom if judged is None else judged
