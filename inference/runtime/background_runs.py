"""Runs that continue while no thread waits for them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from inference.core.calls import Call
from inference.core.contracts import Json, VersionSpec, WorkInput, WorkOutput


@dataclass(frozen=True, slots=True)
class Begun:
    answers: Callable[[], list[Any]]
    """The function that returns the answers, as from `Batcher.begin`."""
    output: Callable[[list[Any]], WorkOutput]
    leave: Callable[[], None]
    """The function that gives the session back."""

    def result(self) -> WorkOutput:
        """Return the result or raise the run's error, once. A call before the run has ended abandons the run."""
        try:
            return self.output(self.answers())
        finally:
            self.leave()


@runtime_checkable
class BeginsRuns(Protocol):
    """A runtime that needs no thread for a caller that waits only for a batch."""

    def begin(
        self,
        spec: VersionSpec,
        work: WorkInput,
        parameters: Mapping[str, Json],
        call: Call,
        ended: Callable[[], None],
    ) -> Begun | None:
        """Start the work of `run` without waiting, or return None if a thread must. `ended`: see `Batcher.begin`."""

    def rows_together(self, spec: VersionSpec) -> int:
        """Return how many rows of different callers a run may hold now. It is 1 if they do not share a run."""
