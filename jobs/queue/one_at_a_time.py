"""Does a thing in one thread of this process at a time; whoever comes meanwhile leaves it to that one and goes on."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor

ROUNDS = 3
"""After so many the thread goes back to its own work: who comes next does it, or the scheduler."""


class OneAtATime:
    """Nobody waits for whoever does it, and what they have written meanwhile is seen by one more round."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._again: dict[Hashable, bool] = {}
        """By what is being done; whether anybody has come since the round began."""

    def run(self, key: Hashable, do: Callable[[], object]) -> None:
        with self._lock:
            if key in self._again:
                self._again[key] = True
                return
            self._again[key] = False
        try:
            for _ in range(ROUNDS):
                do()
                if not self._taken_up(key):
                    return
        except BaseException:
            self._leave(key)
            raise
        self._leave(key)

    def _leave(self, key: Hashable) -> None:
        with self._lock:
            del self._again[key]

    def _taken_up(self, key: Hashable) -> bool:
        """Looks and leaves in one step: nobody may come in between and be forgotten."""
        with self._lock:
            if self._again[key]:
                self._again[key] = False
                return True
            del self._again[key]
            return False


class Apart:
    """The same in a thread of its own: nobody who comes does any of it, and it waits to be done once at most.

    What `do` raises is nobody's: it tells of its failures itself.
    """

    def __init__(self, name: str, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._lock = threading.Lock()
        self._waiting: set[Hashable] = set()

    def run(self, key: Hashable, do: Callable[[], object]) -> None:
        with self._lock:
            if key in self._waiting:
                return
            self._waiting.add(key)
        try:
            self._pool.submit(self._do, key, do)
        except RuntimeError:
            # The process is about to end; what nobody is told of now is left to the scheduler.
            with self._lock:
                self._waiting.discard(key)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _do(self, key: Hashable, do: Callable[[], object]) -> None:
        # Whoever comes from here on may have written what this round does not see.
        with self._lock:
            self._waiting.discard(key)
        do()
