"""A process that holds one model and runs it. All its answers are checked as if the model wrote them."""

import os
import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from inference.core.calls import RunControl
from inference.core.errors import CallCanceled, ModelFailed
from inference.sandbox.fork_keeper import KeptFork
from inference.sandbox.inside.channel import ChannelClosed, InvalidMessage, Json
from inference.sandbox.inside.packets import decoded, encoded

from .confined.transfer import (
    MAX_DIMENSIONS,
    MAX_TENSORS,
    Described,
    layout_of,
    put,
    read_descriptions,
    take,
    write_descriptions,
)
from .confined.values import Array
from .errors import CRASHED, OUT_OF_MEMORY, OUTPUT_TOO_LARGE, TIMED_OUT, FeedsRefused, HostDied, shown_name
from .limits import HostLimits
from .process_memory import ProcessMemory
from .processor_time import processors_are_short

Answer = TypeVar("Answer")
Read = TypeVar("Read")
Key = TypeVar("Key")
Value = TypeVar("Value")

_LOOK_EVERY_S = 0.1
"""Seconds between two checks of whether a run is still wanted. An answer is noticed at once."""
_LONG_RUN_S = 0.01
_SHORT_RUNS = 32
"""The number of short runs after which the size of the shared files is looked at."""
_MAX_KNOWN = 64
"""The number of layouts that are remembered. To describe and check tensors takes longer than to pass them."""
_KEPT_BYTES = 1 << 20
"""The size of the shared files that is kept between runs."""
_CODES = frozenset({OUT_OF_MEMORY, OUTPUT_TOO_LARGE, "model_output_invalid", "model_run_failed"})
_SHOWS_ADDRESSES = frozenset(
    {signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGABRT, signal.SIGFPE, signal.SIGSYS, signal.SIGTRAP}
)


@dataclass(frozen=True, slots=True)
class DeclaredTensor:
    """A named input or output as ONNX Runtime declares it. Dimensions that vary are names or None."""

    name: str
    type: str
    shape: tuple[int | str | None, ...]


@dataclass(frozen=True, slots=True)
class Declared:
    inputs: tuple[DeclaredTensor, ...]
    outputs: tuple[DeclaredTensor, ...]
    metadata: Mapping[str, str]


@dataclass(slots=True)
class _Wait:
    """A wait for an answer."""

    deadline_s: float
    latest_s: float
    """The end of the wait however long the host rested."""
    yields_at_s: float
    unwanted_s: float
    unwanted_since_s: float = float("inf")
    is_long: bool = False
    pauses: int = 0
    """The number of looks for which the host stays stopped."""


class HostProcess:
    """A host. Only one thread may use it at a time."""

    def __init__(self, fork: KeptFork, name: str, limits: HostLimits) -> None:
        """Take over the fork."""
        self.name = shown_name(name)
        self._fork = fork
        self._limits = limits
        self._descriptors: list[int] = []
        self._known_requests: dict[Any, bytes] = {}
        self._known_answers: dict[bytes, list[Described]] = {}
        self._runs = 0
        self.is_running = True
        self.pid = fork.receive_pid()
        fork.limit_waits(_LOOK_EVERY_S)
        self.memory = ProcessMemory(self.pid)
        self.empty_bytes = self.memory.used_bytes()
        """The memory before the load, nearly all of which the fork shares with its template."""

    def load(self, path: Path) -> Declared:
        """Load the model. Raises ModelFailed, after which the host has ended."""
        self._requests, self._answers = self._shared_file("requests"), self._shared_file("answers")
        # The host reads one file and writes the other. It gets both opened anew: flags belong to an opened file.
        model, requests, answers = (
            os.open(file, flags | os.O_CLOEXEC)
            for file, flags in (
                (path, os.O_RDONLY),
                (f"/proc/self/fd/{self._requests}", os.O_RDONLY),
                (f"/proc/self/fd/{self._answers}", os.O_RDWR),
            )
        )
        try:
            request = encoded({"threads": self._limits.threads})
            limit_s = self._limits.load_s
            packet = self._ask(request, (model, requests, answers), limit_s=limit_s, max_rest_s=limit_s)
            reply = self._read(packet, decoded)
        finally:
            for descriptor in (model, requests, answers):
                os.close(descriptor)
        match reply:
            case {"loaded": declared}:
                return self._read(declared, _declared)
        failure = self._failure(reply)
        self.end()
        if isinstance(failure, HostDied):
            raise failure
        raise ModelFailed("model_load_failed", f"{self.name}: {failure}")

    def run(
        self,
        feeds: Mapping[str, Array],
        outputs: Sequence[str] | None,
        *,
        control: RunControl,
        limit_s: float,
        unwanted_s: float,
    ) -> list[Any]:
        """Run the model. If the run is ended by `control`, it gets `unwanted_s` seconds more: the host of a run that is
        nearly done need not be replaced. Raises HostDied if the host had to be ended, and CallCanceled if it was ended
        for `control`.
        """
        began_s = time.monotonic()
        request = self._request(feeds, outputs)
        try:
            rest_s = self._limits.max_rest_s
            packet = self._ask(request, limit_s=limit_s, max_rest_s=rest_s, control=control, unwanted_s=unwanted_s)
            described = self._known_answers.get(packet) or self._read(packet, self._described_answers)
            return self._read(described, lambda tensors: take(self._answers, tensors))
        finally:
            self._runs += 1
            # A short run cannot write much more than it says.
            if time.monotonic() - began_s >= _LONG_RUN_S or self._runs % _SHORT_RUNS == 0:
                self._free_shared_files()

    def ended_while_idle(self) -> bool:
        """Return whether the host has ended since its last run. Raises HostDied if it says something unasked."""
        try:
            unasked = self._fork.packets.socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            return True
        if unasked:
            raise self._misbehaved("it sent a message between two runs")
        return True

    def end(self) -> int | None:
        """End the process and return its exit status. It is negative for a signal, and None if it is unknown."""
        if not self.is_running:
            return None
        self.is_running = False
        status = self._fork.end()
        self.memory.close()
        for descriptor in self._descriptors:
            os.close(descriptor)
        return status

    def _shared_file(self, name: str) -> int:
        # It has no seals, and takes none: the host must not keep this process from making it smaller.
        descriptor = os.memfd_create(name, os.MFD_CLOEXEC)
        self._descriptors.append(descriptor)
        return descriptor

    def _request(self, feeds: Mapping[str, Array], outputs: Sequence[str] | None) -> bytes:
        """Write the inputs to the shared file and return the message about them, which is the same for the same layout
        of numbers.
        """
        try:
            described = put(self._requests, list(feeds.values()), self._limits.memory_bytes)
        except ValueError as error:
            raise ModelFailed(OUT_OF_MEMORY, f"{self.name}: its inputs have {error}") from error
        layout = layout_of(feeds.values())
        key = (tuple(feeds), layout, None if outputs is None else tuple(outputs))
        request = self._known_requests.get(key)
        if request is None:
            body = {
                "names": list(feeds),
                "tensors": write_descriptions(described),
                "outputs": None if outputs is None else list(outputs),
                "max_bytes": self._limits.answer_bytes,
            }
            request = encoded(body)
            if layout is not None:
                _remember(self._known_requests, key, request)
        return request

    def _described_answers(self, packet: bytes) -> list[Described]:
        """Return what the answer says about the outputs, or raise the failure that it says."""
        reply = decoded(packet)
        match reply:
            case {"answers": answers}:
                described = read_descriptions(answers, self._limits.answer_bytes)
                _remember(self._known_answers, packet, described)
                return described
        raise self._failure(reply)

    def _ask(
        self,
        request: bytes,
        files: Sequence[int] = (),
        *,
        limit_s: float,
        max_rest_s: float,
        control: RunControl | None = None,
        unwanted_s: float = 0.0,
    ) -> bytes:
        """Return the answer. Raises HostDied or CallCanceled, after which the host has ended."""
        packets, began_s = self._fork.packets, time.monotonic()
        latest_s = began_s + limit_s + min(limit_s, max_rest_s)
        wait = _Wait(began_s + limit_s, latest_s, began_s + self._limits.yields_after_s, unwanted_s)
        try:
            packets.send(request, files)
            while True:
                try:
                    return packets.receive()
                except BlockingIOError:
                    self._look(wait, control)
        except TimeoutError as error:
            self.end()
            raise HostDied(TIMED_OUT, f"{self.name} ran longer than {limit_s:g} s and was ended") from error
        except ChannelClosed as error:
            raise self._crashed() from error
        finally:
            # The answer may have been under way when the host was stopped.
            if wait.pauses:
                self._signal(signal.SIGCONT)

    def _look(self, wait: "_Wait", control: RunControl | None) -> None:
        """Do what is due. Raises TimeoutError, or CallCanceled if the run was not wanted any more for a while."""
        now_s = time.monotonic()
        if now_s >= wait.deadline_s:
            raise TimeoutError
        if now_s >= wait.yields_at_s:
            wait.yields_at_s = float("inf")
            wait.is_long = True
            self._fork.lower(self._limits.lowest_nice)
        if wait.is_long:
            self._pause(wait)
        if control is not None and control.ended:
            wait.unwanted_since_s = min(wait.unwanted_since_s, now_s)
            if now_s >= wait.unwanted_since_s + wait.unwanted_s:
                self.end()
                raise CallCanceled

    def _pause(self, wait: "_Wait") -> None:
        """Stop a long run for most of the time while there is more work than processors.

        A nice value is not enough: all hosts may share what the kernel gives to one session.
        """
        if wait.pauses:
            wait.pauses -= 1
            if not wait.pauses:
                self._signal(signal.SIGCONT)
        elif processors_are_short():
            self._signal(signal.SIGSTOP)
            wait.pauses = self._limits.long_run_pauses
            wait.deadline_s = min(wait.latest_s, wait.deadline_s + wait.pauses * _LOOK_EVERY_S)

    def _signal(self, number: signal.Signals) -> None:
        """Send a signal to the host, unless it has ended: its number may belong to another process by now."""
        if self.is_running:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def _read(self, answer: Answer, read: Callable[[Answer], Read]) -> Read:
        """Return what `read` makes of an answer. A host whose answers cannot be read is ended."""
        try:
            return read(answer)
        except (InvalidMessage, ValueError, TypeError, OverflowError) as error:
            raise self._misbehaved(str(error)) from error

    def _failure(self, reply: Json) -> Exception:
        match reply:
            case {"error": "invalid_tensor", "detail": str(detail)}:
                return FeedsRefused(detail)
            case {"error": str(code), "detail": str(detail)} if code in _CODES:
                return ModelFailed(code, f"{self.name}: {detail}")
        return self._misbehaved("it gave neither an answer nor an error")

    def _crashed(self) -> HostDied:
        status = self.end()
        if status is None:
            how = "was ended by the system"
        elif status < 0:
            name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
            how = f"was ended by the signal {name}"
            if -status in _SHOWS_ADDRESSES:
                self._fork.retire_template()
        else:
            how = f"ended with the status {status}"
        return HostDied(CRASHED, f"{self.name}: the process of the model {how} in the middle of a run")

    def _misbehaved(self, why: str) -> HostDied:
        self.end()
        self._fork.retire_template()
        return HostDied(CRASHED, f"{self.name}: the process of the model gave an invalid answer ({why[:200]})")

    def _free_shared_files(self) -> None:
        if not self.is_running:
            return
        for descriptor in (self._requests, self._answers):
            if os.fstat(descriptor).st_size > _KEPT_BYTES:
                os.ftruncate(descriptor, 0)


def _remember(known: dict[Key, Value], key: Key, value: Value) -> None:
    if len(known) >= _MAX_KNOWN:
        known.clear()
    known[key] = value


def _declared(said: Json) -> Declared:
    match said:
        case {"inputs": list(inputs), "outputs": list(outputs), "metadata": dict(metadata)}:
            if all(isinstance(value, str) for value in metadata.values()):
                return Declared(_tensors(inputs), _tensors(outputs), metadata)
    raise ValueError("what it declares cannot be read")


def _tensors(said: list[Json]) -> tuple[DeclaredTensor, ...]:
    if len(said) > MAX_TENSORS:
        raise ValueError(f"it declares {len(said)} tensors")
    return tuple(_tensor(tensor) for tensor in said)


def _tensor(said: Json) -> DeclaredTensor:
    match said:
        case [str(name), str(kind), list(shape)] if len(shape) <= MAX_DIMENSIONS:
            if all(size is None or type(size) in (int, str) for size in shape):
                return DeclaredTensor(name, kind, tuple(shape))
    raise ValueError(f"it declares a tensor as {str(said)[:80]}")
