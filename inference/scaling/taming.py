"""The limits on how fast a pool grows and shrinks, by what it wanted and had before."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from inference.scaling.pool import Taming

MUCH = 0.05
"""The share of the replicas by which more than that many must be wanted, or more than `Taming.up`, to turn at once."""
LITTLE = 0.03
"""The share of the replicas by which fewer must be wanted for the pool to turn and shrink. Less is mostly chance."""


@dataclass(slots=True)
class Tamed:
    """The past of a pool, as far as its taming needs it."""

    taming: Taming
    _had: deque[tuple[float, int]] = field(default_factory=deque)
    _wanted: deque[tuple[float, int]] = field(default_factory=deque)
    _turned_down_s: float = float("-inf")
    """The time at which the pool began to shrink after it had grown."""
    _grows: bool = True

    def allowed(self, wanted: int, replicas: int, at_s: float, *, most: int, soon: int = 0) -> int:
        """Return the number that the pool may have now.

        It shrinks only to the most that it wanted within `down_every_s` or will need again `soon`, and does not turn
        for little unless it has more than `most`. Within `down_every_s` of a turn it grows only if much more is wanted:
        so it turns once in that time, unless a spike comes.
        """
        self._wanted.append((at_s, wanted))
        self._had.append((at_s, replicas))
        allowed = self._grown(wanted, replicas, at_s) if wanted > replicas else self._shrunk(replicas, at_s, most, soon)
        if allowed > replicas:
            self._grows = True
        elif allowed < replicas:
            if self._grows:
                self._turned_down_s = at_s
            self._grows = False
        self._forget(at_s)
        return allowed

    def _grown(self, wanted: int, replicas: int, at_s: float) -> int:
        taming = self.taming
        just_turned = at_s - self._turned_down_s < taming.down_every_s
        # Without any replica, what waits would wait until the end of that time.
        if replicas and just_turned and wanted - replicas <= max(taming.up, MUCH * replicas):
            return replicas
        before = min(_since(self._had, at_s - taming.up_every_s))
        step = max(taming.up, int(taming.up_share * before))
        return max(replicas, min(wanted, before + step))

    def _shrunk(self, replicas: int, at_s: float, most: int, soon: int) -> int:
        taming = self.taming
        since_s = at_s - taming.down_every_s
        before = max(_since(self._had, since_s))
        step = max(taming.down, int(taming.down_share * before))
        enough = max(*_since(self._wanted, since_s), soon)
        if self._grows and replicas - enough < LITTLE * replicas and replicas <= most:
            return replicas
        return min(replicas, max(enough, before - step))

    def _forget(self, at_s: float) -> None:
        longest_s = max(self.taming.up_every_s, self.taming.down_every_s)
        for past in (self._had, self._wanted):
            while past and past[0][0] <= at_s - longest_s:
                past.popleft()


def grown_in_time(needs: Sequence[int], taming: Taming) -> int:
    """Return the replicas that are enough now if the pool may grow once before each further need."""
    enough = 0
    for need in reversed(needs):
        enough = max(need, _least_before(enough, taming))
    return enough


def _least_before(replicas: int, taming: Taming) -> int:
    """Return the fewest replicas that may grow to so many at once."""
    least = int(replicas / (1 + taming.up_share))
    while least + int(taming.up_share * least) < replicas:
        least += 1
    return max(0, min(least, replicas - taming.up))


def _since(past: deque[tuple[float, int]], since_s: float) -> Iterator[int]:
    return (count for when, count in past if when > since_s)
