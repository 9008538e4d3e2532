"""The limits on how long the client waits."""

import math
from collections.abc import Callable


class WaitBudget:
    """The total time of a wait and the longest single request within it."""

    def __init__(self, clock: Callable[[], float], total_s: float | None, longest_round_s: float) -> None:
        self._clock = clock
        self._began = clock()
        self._total_s = math.inf if total_s is None else total_s
        self._longest_round_s = longest_round_s

    def waited_s(self) -> float:
        return round(self._clock() - self._began, 1)

    def left_s(self) -> float:
        return max(0.0, self._total_s - (self._clock() - self._began))

    def round_s(self) -> float:
        """Return the length of the next request in whole seconds, because the service counts in these."""
        return float(math.ceil(min(self.left_s(), self._longest_round_s)))
