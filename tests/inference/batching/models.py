"""Provide Python models that a test can block, make fail, and inspect."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from inference.core.calls import RunControl

TIMEOUT_S = 30.0


@dataclass
class Doubler:
    """A model that answers each number with its double, and remembers what it ran."""

    batches: list[list[int]] = field(default_factory=list)
    bad: frozenset[int] = frozenset()

    def __call__(self, numbers: Sequence[int], length: int, control: RunControl) -> list[int]:
        self.batches.append(list(numbers))
        found = self.bad.intersection(numbers)
        if found:
            raise ValueError(f"{sorted(found)[0]} is bad")
        return [2 * number for number in numbers]


@dataclass
class HeldUp(Doubler):
    """A model whose runs end only when they are released or ended by their control."""

    began: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    go: threading.Event = field(default_factory=threading.Event)
    ended: list[list[int]] = field(default_factory=list)

    def __call__(self, numbers: Sequence[int], length: int, control: RunControl) -> list[int]:
        withdraw = control.on_end(self.go.set)
        self.began.release()
        assert self.go.wait(TIMEOUT_S)
        withdraw()
        if control.ended:
            self.ended.append(list(numbers))
            self.go.clear()
            raise RuntimeError("Exiting due to terminate flag being set to true.")
        return super().__call__(numbers, length, control)

    def wait_for_run(self) -> None:
        assert self.began.acquire(timeout=TIMEOUT_S)


class Gate:
    """A model that blocks its batcher while the gate runs, so that other requests form one batch for `run`."""

    def __init__(self, run: Callable[[Sequence[Any], int, RunControl], Sequence[Any]]) -> None:
        self._run = run
        self.began, self.go = threading.Event(), threading.Event()

    def __call__(self, payloads: Sequence[Any], length: int, control: RunControl) -> Sequence[Any]:
        if payloads[0] is not self:
            return self._run(payloads, length, control)
        self.began.set()
        assert self.go.wait(TIMEOUT_S)
        return payloads
