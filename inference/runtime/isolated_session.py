"""A model file opened in a host, the confined process of its own. The host is replaced when it dies."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inference.core.calls import RunControl
from inference.core.errors import ModelFailed
from inference.model_host import Declared, FeedsRefused, HostDied, HostProcess, ModelHosts
from inference.runtime.arena_growth import ArenaGrowth
from inference.runtime.error_texts import plain_words
from inference.runtime.providers import CPU
from inference.runtime.session import InvalidFeed, RunTally, rows_of, weight_bytes
from inference.runtime.tensors import Array, NodeArg

OWN_BYTES = 8 << 20
"""The memory of a host beside its model: the pages that it has changed and no longer shares with its template."""
NOTICED_BYTES = 8 << 20
"""The growth below which the memory counts as before."""
LONG_RUN_S = 0.01
"""The time of a run after which its memory is read. A shorter run cannot fill much."""
SHORT_RUNS = 32
"""The number of shorter runs after which the memory is read."""
MIN_UNWANTED_S = 0.1
"""The least time that a run gets after its last caller has left. A new host takes longer than a short run."""


class IsolatedMemory:
    """The memory of a host. All of it is its model's, whatever else runs in the worker meanwhile."""

    def __init__(self) -> None:
        self.growth = ArenaGrowth()
        self.on_growth: Callable[[bool], None] | None = None
        self.gives_back = False
        """It changes nothing: a host has no arena, so each run gives back its memory."""
        self.loaded_bytes = 0
        self._process: HostProcess | None = None
        self._load_peak_bytes = 0
        self._runs = 0

    def loaded(self, process: HostProcess) -> None:
        """Begin to measure this host, in which the model has just been loaded."""
        self._process = process
        self._load_peak_bytes = process.memory.peak_bytes()
        self.loaded_bytes = self._used_bytes(process)

    def ran(self, seconds: float) -> None:
        """Account for a run. The memory that a long run held for a moment counts as if it still did."""
        process = self._process
        self._runs += 1
        if process is None or not process.is_running or (seconds < LONG_RUN_S and self._runs % SHORT_RUNS):
            return
        used_bytes = self._used_bytes(process)
        if seconds >= LONG_RUN_S:
            peak_bytes = process.memory.peak_bytes()
            if peak_bytes > self._load_peak_bytes:
                not_its_own = process.memory.file_bytes() + process.empty_bytes
                used_bytes = max(used_bytes, peak_bytes - not_its_own)
        grown_bytes = used_bytes - self.loaded_bytes
        if grown_bytes >= self.growth.held_bytes + NOTICED_BYTES:
            self.growth = ArenaGrowth(held_bytes=grown_bytes)
            if self.on_growth is not None:
                self.on_growth(True)

    def give_back_next(self) -> None:
        """Do nothing, as for `gives_back`."""

    @contextmanager
    def giving_back(self) -> Iterator[None]:
        yield

    @staticmethod
    def _used_bytes(process: HostProcess) -> int:
        return max(0, process.memory.used_bytes() - process.empty_bytes) + OWN_BYTES


class IsolatedSession:
    """A session with one run at a time on the CPU. Each death of its host is one error, and the next run starts another
    host, until `ModelHosts` pauses the model.
    """

    on_gpu = False
    provider = CPU
    at_once = 1

    def __init__(self, path: Path, hosts: ModelHosts, *, name: str = "") -> None:
        """Open the file in a host. Raises ModelFailed."""
        self.path = path
        self.name = name or path.name
        self.weight_bytes = weight_bytes(path)
        self.tally = RunTally()
        self.memory = IsolatedMemory()
        self.load_s = 0.0
        self.closed = False
        self._hosts = hosts
        self._process: HostProcess | None = None
        self._lock = threading.Lock()
        declared = self._start()
        self.inputs = tuple(NodeArg(arg.name, arg.type, arg.shape) for arg in declared.inputs)
        self.outputs = tuple(NodeArg(arg.name, arg.type, arg.shape) for arg in declared.outputs)
        self.metadata = declared.metadata

    def run(
        self,
        feeds: Mapping[str, Array],
        outputs: Sequence[str] | None = None,
        *,
        control: RunControl | None = None,
    ) -> list[Any]:
        """Run the model as `Session.run` says. A host that dies in a trial is replaced, and nothing is counted."""
        with self._lock:
            process = self._living_process()
            started_s = time.monotonic()
            try:
                answers = self._run(process, feeds, outputs, control)
            except FeedsRefused as error:
                raise InvalidFeed(plain_words(str(error))) from error
            except HostDied as error:
                if control is not None:
                    self._hosts.died(str(self.path), self.name, error, alone=control.pieces == 1)
                raise
            except ModelFailed as error:
                raise _plain(error) from error
            seconds = time.monotonic() - started_s
            self._hosts.succeeded(str(self.path))
            self.tally.add(rows=rows_of(feeds), seconds=seconds)
            if control is not None:
                control.computed(seconds)
        self.memory.ran(seconds)
        return answers

    def close(self) -> None:
        with self._lock:
            self.closed = True
            self.memory.on_growth = None
            if self._process is not None:
                self._process.end()
                self._process = None

    def _run(
        self,
        process: HostProcess,
        feeds: Mapping[str, Array],
        outputs: Sequence[str] | None,
        control: RunControl | None,
    ) -> list[Any]:
        limits = self._hosts.limits
        return process.run(
            feeds,
            outputs,
            control=control or RunControl(),
            limit_s=limits.trial_s if control is None else limits.run_s,
            unwanted_s=max(MIN_UNWANTED_S, self.load_s),
        )

    def _living_process(self) -> HostProcess:
        """Return the host, or a new one if it has ended since the last run."""
        if self.closed:
            raise ModelFailed("model_unloaded", f"{self.name} has just left memory", retryable=True)
        self._hosts.check(str(self.path), self.name)
        process = self._process
        if process is not None and process.is_running:
            try:
                if not process.ended_while_idle():
                    return process
                process.end()
            except HostDied as error:
                self._hosts.died(str(self.path), self.name, error, alone=True)
                self._hosts.check(str(self.path), self.name)
        self._start()
        assert self._process is not None
        return self._process

    def _start(self) -> Declared:
        self._hosts.check(str(self.path), self.name)
        started_s = time.monotonic()
        process = self._hosts.start(self.name)
        try:
            declared = process.load(self.path)
        except HostDied as error:
            self._hosts.died(str(self.path), self.name, error, alone=True)
            raise
        except ModelFailed as error:
            raise _plain(error) from error
        except OSError as error:
            process.end()
            raise ModelFailed("model_artifact_missing", f"{self.name} cannot be read: {error.strerror}") from error
        self.load_s = time.monotonic() - started_s
        self._process = process
        self.memory.loaded(process)
        return declared


def _plain(error: ModelFailed) -> ModelFailed:
    """Return the error as callers may read it. Its text quotes ONNX Runtime, and names that the model has chosen."""
    detail = "".join(char if char.isprintable() else " " for char in plain_words(error.detail))
    return ModelFailed(error.code, detail, retryable=error.retryable)
