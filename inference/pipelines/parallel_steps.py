"""Threads for steps that run in parallel: as many as are useful in this process, and no more."""

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

MAX_IN_PROCESS = 8
"""The most such threads, in addition to the threads in which pages arrive.

Models share the cores anyway, so more threads would only hold more in memory.
"""

Result = TypeVar("Result")


class SideBySide:
    """A pool in which all started work has a thread at once. Nothing waits here, so nothing can wait for itself."""

    def __init__(self, most: int = MAX_IN_PROCESS) -> None:
        self._free = threading.Semaphore(most)
        self._threads = ThreadPoolExecutor(most, thread_name_prefix="step")

    def start(self, work: Callable[[], Result]) -> "Future[Result] | None":
        """Start the work in a thread; return None if every thread is busy. The caller then does the work itself."""
        if not self._free.acquire(blocking=False):
            return None
        context = contextvars.copy_context()
        try:
            return self._threads.submit(self._run, context, work)
        except BaseException:
            self._free.release()
            raise

    def _run(self, context: contextvars.Context, work: Callable[[], Result]) -> Result:
        try:
            return context.run(work)
        finally:
            self._free.release()


IN_THIS_PROCESS = SideBySide()
