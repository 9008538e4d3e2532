"""The memory that a session's runs make its arena hold, measured around each, and given back if it is short."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from inference.runtime.arena_growth import ArenaGrowth, Shapes
from inference.runtime.memory_in_use import MemoryGauge, Part, activity
from inference.runtime.tensors import Array

NOTICED_BYTES = 8 << 20
"""The growth below which only the largest runs are counted. It may as well come from other work meanwhile."""

Run = Callable[[], list[Any]]


class RunMemory:
    """The memory of a session's runs. It is safe to share between threads."""

    def __init__(self, memory: MemoryGauge, *, on_gpu: bool) -> None:
        self.growth = ArenaGrowth()
        self.on_growth: Callable[[bool], None] | None = None
        """The callback in the run's thread after `growth` changed. Its argument says whether this is certain."""
        self.gives_back = False
        """Set if each run gives back all arena memory except its answer's. It is slower, for hosts short of memory."""
        self._gives_back_now = self._gives_back_next = False
        self._kept_bytes = 0
        self._memory = memory
        self._on_gpu = on_gpu
        self._arenas = "cpu:0;gpu:0" if on_gpu else "cpu:0"
        self._lock = threading.Lock()

    def give_back_next(self) -> None:
        """Give back the free memory once, at the end of the next run."""
        self._gives_back_next = True

    @contextmanager
    def giving_back(self) -> Iterator[None]:
        """Give back memory after each run in this block but its answer's. These runs are larger than callers'."""
        self._gives_back_now = True
        try:
            yield
        finally:
            self._gives_back_now = False

    def measured(self, run: Run, feeds: Mapping[str, Array], options: Any) -> list[Any]:
        """Return the answers of `run`, which uses these options."""
        with activity.part() as part:
            if self.gives_back or self._gives_back_now or self._gives_back_next:
                self._gives_back_next = False
                return self._run_and_give_back(run, options)
            return self._run_and_look(run, {name: feed.shape for name, feed in feeds.items()}, part)

    def _run_and_look(self, run: Run, shapes: Shapes, part: Part) -> list[Any]:
        # The measurement is exact if growth is expected, or else quick, at the same cost however much is free.
        larger = self.growth.may_grow_with(shapes)
        read = self._memory.used_bytes if larger else self._memory.mapped_bytes
        before_bytes = read()
        try:
            # Answers have no memory of their own, because they are in the arena.
            return run()
        except Exception:
            # A GPU's arena has a limit, and may be full of pieces that are too small for the current run.
            self._gives_back_next = self._on_gpu
            raise
        finally:
            # A run that has failed has made the arena grow as well.
            alone = part.alone
            grown_bytes = read() - before_bytes + (0 if alone else part.given_back_bytes)
            if larger or grown_bytes >= NOTICED_BYTES:
                self._grown(shapes, grown_bytes, alone=alone)

    def _run_and_give_back(self, run: Run, options: Any) -> list[Any]:
        options.add_run_config_entry("memory.enable_memory_arena_shrinkage", self._arenas)
        before_bytes, answers = self._memory.mapped_bytes(), list[Any]()
        try:
            answers = run()
        finally:
            grown_bytes = self._memory.mapped_bytes() - before_bytes
            self._given_back(_bytes_of(answers), grown_bytes)
        return answers

    def _grown(self, shapes: Shapes, grown_bytes: int, *, alone: bool) -> None:
        with self._lock:
            self.growth = self.growth.after(shapes, grown_bytes, alone=alone)
        if self.on_growth is not None:
            self.on_growth(alone)

    def _given_back(self, answer_bytes: int, grown_bytes: int) -> None:
        """Record that memory was given back, except the arena's block with the answer. A small answer is put into the
        first block, which is never given back and which a warm-up keeps small.
        """
        with self._lock:
            is_small = answer_bytes < NOTICED_BYTES
            self._kept_bytes = 0 if is_small else max(answer_bytes, grown_bytes, self._kept_bytes)
            freed_bytes = self.growth.counted_bytes - self._kept_bytes
            self.growth = self.growth.given_back(self._kept_bytes)
        activity.gave_back(max(0, freed_bytes))
        if freed_bytes and self.on_growth is not None:
            self.on_growth(False)


def _bytes_of(answers: Sequence[Any]) -> int:
    return sum(answer.nbytes for answer in answers if hasattr(answer, "nbytes"))
