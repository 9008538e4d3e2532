"""Allows one last try at a time for pages on which workers died, so that a page that kills workers is alone."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from jobs.queue.claims import Claim

MayApart = Callable[[], bool]


class OneApart:
    def __init__(self) -> None:
        self._lock = threading.Lock()

    @contextmanager
    def claimed(self, claim: Callable[[MayApart], Claim | None]) -> Iterator[Claim | None]:
        """Yield what `claim` returns. It calls its argument before it takes such a page; then no other thread may."""
        kept = False

        def may_apart() -> bool:
            nonlocal kept
            kept = kept or self._lock.acquire(blocking=False)
            return kept

        try:
            taken = claim(may_apart)
            if kept and not (taken and taken.apart):
                self._lock.release()
                kept = False
            yield taken
        finally:
            if kept:
                self._lock.release()
