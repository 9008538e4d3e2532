"""Notifies the code that runs a model that it waits for a load, and measures how long it waited."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import structlog

log = structlog.get_logger(__name__)


class LoadWatch:
    """The waits of a piece of work. `begun` is called at its first wait, and must not wait itself."""

    def __init__(self, begun: Callable[[], None]) -> None:
        self.waited_s = 0.0
        self._begun: Callable[[], None] | None = begun

    def begin(self) -> None:
        begun, self._begun = self._begun, None
        if begun is None:
            return
        try:
            begun()
        except Exception:
            # Others wait for the same load, so a failed notification must not end it.
            log.exception("model_load_not_announced")


_watching: ContextVar[LoadWatch | None] = ContextVar("watching", default=None)


@contextmanager
def watching_loads(begun: Callable[[], None]) -> Iterator[LoadWatch]:
    watch = LoadWatch(begun)
    token = _watching.set(watch)
    try:
        yield watch
    finally:
        _watching.reset(token)


@contextmanager
def waiting_for_load(*, needed: bool) -> Iterator[None]:
    """Measure the wait of a block that brings a session into memory, or waits for another thread that does."""
    watch = _watching.get() if needed else None
    if watch is None:
        yield
        return
    watch.begin()
    started_s = time.monotonic()
    try:
        yield
    finally:
        watch.waited_s += time.monotonic() - started_s
