"""A pool's line: requests begin in the order of their arrival, on whichever slot is free first."""

from collections import deque
from heapq import heapify, heappop, heappush, heapreplace

import numpy as np
import numpy.typing as npt

from jobs.simulation.known_work import KnownWork

AT_ONCE = 1024
Numbers = npt.NDArray[np.float64]


class Line:
    """The requests of a pool, and the times from which its slots are free."""

    def __init__(self, arrivals: Numbers, work: Numbers, slots: int = 1) -> None:
        """Begin without replicas. Each will have so many slots."""
        self.free: list[float] = []
        """A heap."""
        self._slots = slots
        self.begun = 0
        """The number of requests that have begun for the first time."""
        self._arrivals, self._work = arrivals, work
        self._mean_work_s = float(work.mean()) if len(work) else 0.0
        self._known, self._ran_until_s = KnownWork(self._mean_work_s or 1.0), 0.0
        self._again: deque[float] = deque()
        """The work of requests whose slot was lost."""

    def run(self, until_s: float) -> Numbers:
        """Begin what can begin before this time, and return how long each request waited."""
        self._begin_again(until_s)
        came, waits, before = int(np.searchsorted(self._arrivals, until_s)), list[float](), self.begun
        # In parts, since a line may be much longer than what begins of it.
        while self.free and self.begun < came and self._begin(min(came, self.begun + AT_ONCE), until_s, waits):
            pass
        begun = self._work[before : self.begun]
        self._known.learn(begun, replicas=self.replicas, passed_s=until_s - self._ran_until_s)
        self._ran_until_s = until_s
        return np.array(waits)

    def _begin(self, last: int, until_s: float, waits: list[float]) -> bool:
        """Begin requests up to this one, and return whether all of them could."""
        # Plain floats and a local heap: this loop runs once for each request.
        part, free = slice(self.begun, last), self.free
        for arrived, takes in zip(self._arrivals[part].tolist(), self._work[part].tolist(), strict=True):
            begins = free[0]
            if begins < arrived:  # noqa: PLR1730 (a call of max takes a third of the loop)
                begins = arrived
            if begins >= until_s:
                return False
            heapreplace(free, begins + takes)
            waits.append(begins - arrived)
            self.begun += 1
        return True

    def _begin_again(self, until_s: float) -> None:
        while self._again and self.free and self.free[0] < until_s:
            heapreplace(self.free, self.free[0] + self._again.popleft())

    @property
    def piece_s(self) -> float:
        """Return the seconds of a request as the product knows them now."""
        return self._known.piece_s

    @property
    def replicas(self) -> int:
        return len(self.free) // self._slots

    def add(self, free_at_s: float) -> None:
        for _ in range(self._slots):
            heappush(self.free, free_at_s)

    def take_away(self) -> float:
        """Take away the slots of a replica that are free first, and return when the last of them is."""
        return max(heappop(self.free) for _ in range(self._slots))

    def left_s(self, at_s: float) -> float:
        """Return the seconds for which replicas still work after this time."""
        ends = sorted(self.free, reverse=True)
        return sum(max(0.0, end_s - at_s) for end_s in ends[:: self._slots])

    def lose(self, number: int, gone_s: float, rng: np.random.Generator) -> None:
        """Lose replicas by chance. Work that would end after `gone_s` begins again, from its start."""
        places = rng.choice(len(self.free), size=number * self._slots, replace=False)
        for place in sorted(places.tolist(), reverse=True):
            if self.free[place] > gone_s:
                # Which request a slot does is not kept. The mean stands for it.
                self._again.append(self._mean_work_s)
            self.free[place] = self.free[-1]
            self.free.pop()
        heapify(self.free)

    def waiting(self, at_s: float) -> tuple[float, float]:
        """Return the known seconds of the work that waits, and how long the first request has waited."""
        count = int(np.searchsorted(self._arrivals, at_s)) - self.begun
        oldest_s = at_s - float(self._arrivals[self.begun]) if count else 0.0
        return (count + len(self._again)) * self.piece_s, oldest_s
