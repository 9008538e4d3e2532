"""Bounded pools for blocking work, so that the event loop never blocks and a backlog never grows without end."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import close_old_connections

from tenants.core.db.failures import PASSING, trouble_of
from tenants.core.errors import DomainError

P = ParamSpec("P")
R = TypeVar("R")


class Overloaded(DomainError):
    code = "overloaded"
    gate = "request_threads"


class BoundedThreads:
    """A separate pool for one kind of work. Work that would wait behind too many others is refused at once."""

    def __init__(self, name: str, threads: int, *, waiting: int = 1024) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._limit = threads + waiting
        self._inside = 0

    async def run(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the work in a copy of the caller's context, so that the thread's next caller sees nothing of it."""
        if self._inside >= self._limit:
            raise Overloaded("Too many requests are waiting already. Try again.", extra={"retry_after_s": 1})
        context = contextvars.copy_context()
        self._inside += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._pool, lambda: context.run(work, *args, **kwargs)
            )
        finally:
            self._inside -= 1

    def start(self, work: Callable[[], object]) -> None:
        """Start a clean-up that nobody waits for, and that no cancellation can skip."""
        self._pool.submit(work)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class DatabaseThreads(BoundedThreads):
    """Threads whose work queries the database outside a Django request."""

    async def run(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        def with_live_connection() -> R:
            close_old_connections()
            try:
                return work(*args, **kwargs)
            finally:
                close_old_connections()

        try:
            return await super().run(with_live_connection)
        except PASSING as error:
            trouble = trouble_of(error)
            if trouble is None:
                raise
            raise trouble from error
