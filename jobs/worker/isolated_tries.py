"""Ensures that only one thread at a time makes the last attempt of a page on which workers have crashed, so that such
a page cannot crash the attempt of another one.
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
        """Yield the claim that `claim` returns. Before `claim` takes such a page, it calls the function that it is
        passed, which returns False while another thread works on such a page.
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
