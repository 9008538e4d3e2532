"""The times of the last loads of models in this process, to find out how much of a wait was a load."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class LoadTimes:
    """The last load of each model. The number of models bounds it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last: dict[str, tuple[float, float]] = {}

    @contextmanager
    def load(self, model_key: str) -> Iterator[None]:
        began_s = self._clock()
        try:
            yield
        finally:
            self._last[model_key] = (began_s, self._clock())

    def within(self, model_key: str, since_s: float, until_s: float) -> float:
        """Return the number of seconds of a wait that the last load took."""
        began_s, ended_s = self._last.get(model_key, (0.0, 0.0))
        return max(0.0, min(ended_s, until_s) - max(began_s, since_s))
