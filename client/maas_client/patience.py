"""For how long something is waited for."""

import math
from collections.abc import Callable


class Patience:
    """How long is waited altogether, and for how long at a time."""

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
        """Whole seconds, since the service counts in these."""
        return float(math.ceil(min(self.left_s(), self._longest_round_s)))
