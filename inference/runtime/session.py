"""The common face of a model file that is open: in this process (`HostedSession`) or in its own (`IsolatedSession`)."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from inference.core.calls import RunControl
from inference.core.errors import ModelFailed
from inference.runtime.arena_growth import ArenaGrowth
from inference.runtime.tensors import Array, NodeArg


class InvalidFeed(Exception):
    """The error for an input whose name, type or shape ONNX Runtime refused."""


class RunTally:
    """The number of runs, rows and seconds since the session was opened."""

    def __init__(self) -> None:
        self.runs = self.rows = 0
        self.seconds = 0.0
        self._lock = threading.Lock()

    def add(self, *, rows: int, seconds: float) -> None:
        with self._lock:
            self.runs += 1
            self.rows += rows
            self.seconds += seconds


class SessionMemory(Protocol):
    """The memory that the runs of a session hold."""

    growth: ArenaGrowth
    on_growth: Callable[[bool], None] | None
    """The callback in the run's thread after `growth` changed. Its argument says whether this is certain."""
    gives_back: bool
    """Set if each run gives back all memory except its answer's."""

    def give_back_next(self) -> None:
        """Give back the free memory once, at the end of the next run."""

    def giving_back(self) -> AbstractContextManager[None]:
        """Give back memory after each run in this block but its answer's. These runs are larger than callers'."""


class Session(Protocol):
    """An open model file that is safe to share between threads."""

    @property
    def path(self) -> Path: ...

    @property
    def name(self) -> str:
        """Return the name that callers and operators know. The file names of added models do not differ."""

    @property
    def weight_bytes(self) -> int: ...

    @property
    def at_once(self) -> int:
        """Return the number of runs at the same time, which take less time than one after another."""

    @property
    def load_s(self) -> float: ...

    @property
    def provider(self) -> str: ...

    @property
    def on_gpu(self) -> bool: ...

    @property
    def inputs(self) -> tuple[NodeArg, ...]: ...

    @property
    def outputs(self) -> tuple[NodeArg, ...]: ...

    @property
    def metadata(self) -> Mapping[str, str]: ...

    @property
    def tally(self) -> RunTally: ...

    @property
    def memory(self) -> SessionMemory: ...

    @property
    def closed(self) -> bool: ...

    def run(
        self,
        feeds: Mapping[str, Array],
        outputs: Sequence[str] | None = None,
        *,
        control: RunControl | None = None,
    ) -> list[Any]:
        """Run the model. It raises CallCanceled if `control` ended the run, and InvalidFeed for wrong inputs. A run
        without `control` is a trial, which no caller waits for.
        """

    def close(self) -> None:
        """Close the session. Its memory is free when a run in progress ends, even if this object is kept."""


def rows_of(feeds: Mapping[str, Array]) -> int:
    """Return the first dimension of the first input, by which everything here is batched."""
    shape = next((feed.shape for feed in feeds.values()), ())
    return int(shape[0]) if shape else 1


def weight_bytes(path: Path) -> int:
    """Return the size of the file and of the weights stored beside it (`model.onnx.data`, `model.onnx_data`)."""
    try:
        beside = [file for file in path.parent.iterdir() if file.name.startswith(path.name)]
        return sum(file.stat().st_size for file in beside if file.is_file()) or path.stat().st_size
    except OSError as error:
        raise ModelFailed("model_artifact_missing", f"{path.name} cannot be read: {error.strerror}") from error
