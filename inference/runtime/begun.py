"""Runs that go on while no thread waits for them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from inference.core.calls import Call
from inference.core.contracts import Json, VersionSpec, WorkInput, WorkOutput


@dataclass(frozen=True, slots=True)
class Begun:
    answers: Callable[[], list[Any]]
    """As of `Batcher.begin`."""
    output: Callable[[list[Any]], WorkOutput]
    leave: Callable[[], None]
    """Its session."""

    def result(self) -> WorkOutput:
        """Once, after it was told to have ended; asked for sooner, the run is left. Raises what went wrong."""
        try:
            return self.output(self.answers())
        finally:
            self.leave()


@runtime_checkable
class BeginsRuns(Protocol):
    """A runtime that needs no thread for a caller who waits for nothing but a batch."""

    def begin(
        self,
        spec: VersionSpec,
        work: WorkInput,
        parameters: Mapping[str, Json],
        call: Call,
        ended: Callable[[], None],
    ) -> Begun | None:
        """As `run`; None where a thread must wait for it after all. `ended` as of `Batcher.begin`."""

    def rows_together(self, spec: VersionSpec) -> int:
        """How many rows of different callers a run may hold now: 1 where they do not share one."""
