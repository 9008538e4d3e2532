"""Of the pages that workers died with, one last try at a time: whichever is deadly dies without the others."""

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
        """What `claim` gives, which asks whether it may take such a page; kept for as long as the block runs."""
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
