"""Runs a task in one thread of this process at a time. Other threads that come leave the task to that thread."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor

ROUNDS = 3
"""The rounds after which a thread returns to its own work. The next thread or the scheduler does the rest."""


class OneAtATime:
    """Runs each task in one thread at a time. A further round covers what others have written meanwhile."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._again: dict[Hashable, bool] = {}
        """The tasks that are being done, and for each whether another thread has come since the round began."""

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
        """Return whether another thread has come, or leave, in one step, so that none comes in between."""
        with self._lock:
            if self._again[key]:
                self._again[key] = False
                return True
            del self._again[key]
            return False


class Apart:
    """Runs tasks in its own threads. A task waits at most once, and `do` reports its own failures."""

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
            # The process is about to end. Work that is not done now is left to the scheduler.
            with self._lock:
                self._waiting.discard(key)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _do(self, key: Hashable, do: Callable[[], object]) -> None:
        # A caller that comes from here on may have written what this round does not see.
        with self._lock:
            self._waiting.discard(key)
        do()
