"""Counts what is open at the same time for each name, up to a maximum."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Slots:
    def __init__(self, max_of_each: int) -> None:
        self._max = max_of_each
        self._open: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._open.total()

    def is_full(self, name: str) -> bool:
        return self._open[name] >= self._max

    @contextmanager
    def take(self, name: str) -> Iterator[None]:
        """Take a slot for a block. Check before whether there is one."""
        self._open[name] += 1
        try:
            yield
        finally:
            self._open[name] -= 1
            if not self._open[name]:
                del self._open[name]
