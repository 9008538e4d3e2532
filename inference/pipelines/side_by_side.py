"""Threads for steps that run beside one another, as many in this process as are worth having and no more."""

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

MOST_IN_PROCESS = 8
"""Beside the threads that pages come in on. Models share the cores anyway; more would only hold more in memory."""

Result = TypeVar("Result")


class SideBySide:
    """Whatever is started has a thread at once: nothing waits here, and so nothing can wait for itself."""

    def __init__(self, most: int = MOST_IN_PROCESS) -> None:
        self._free = threading.Semaphore(most)
        self._threads = ThreadPoolExecutor(most, thread_name_prefix="step")

    def start(self, work: Callable[[], Result]) -> "Future[Result] | None":
        """None when every thread is busy: the caller then does it itself, in its turn."""
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
