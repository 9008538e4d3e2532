"""Allows one last try at a time for the pages on which workers died, so that a page that kills workers does so without
the other pages.
"""

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
        """Yield the result of `claim`. `claim` calls its argument to find out whether it may take such a page. If it
        takes one, no other thread may take one until the block ends.
        """
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
