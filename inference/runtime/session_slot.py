"""The slot of a session in memory, reserved before its load so that later callers wait for it, and failed loads."""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from pathlib import Path
from typing import Any

from inference.core.calls import Call
from inference.core.errors import ModelFailed
from inference.runtime.arena_growth import ArenaGrowth
from inference.runtime.load_order import WaitingLoad
from inference.runtime.load_watch import waiting_for_load
from inference.runtime.profiles import Profile
from inference.runtime.residency import Resident, UseRate
from inference.runtime.session import Session

FIRST_DELAY_S = 1.0
LONGEST_DELAY_S = 30.0

Identity = tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class _Failure:
    error: ModelFailed
    identity: Identity
    delay_s: float
    again_at_s: float


class LoadFailures:
    """The failed loads of a host. It is not safe to share between threads by itself; the host's lock guards it."""

    def __init__(self) -> None:
        self._failures: dict[str, _Failure] = {}

    def refuse(self, path: str, now_s: float) -> None:
        """Raise the error of the failed load, for a while and as long as the file is the same."""
        failure = self._failures.get(path)
        if failure is None or now_s >= failure.again_at_s:
            return
        if identity_of(path) != failure.identity:
            del self._failures[path]
            return
        raise fresh(failure.error)

    def note(self, path: str, error: ModelFailed, now_s: float) -> None:
        before = self._failures.get(path)
        delay_s = FIRST_DELAY_S if before is None else min(LONGEST_DELAY_S, 2 * before.delay_s)
        self._failures[path] = _Failure(error, identity_of(path), delay_s, now_s + delay_s)

    def forget(self, path: str) -> None:
        self._failures.pop(path, None)


def identity_of(path: str) -> Identity:
    try:
        stat = Path(path).stat()
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns


def fresh(error: ModelFailed) -> ModelFailed:
    """Return a separate error for each caller. An error that many threads raise would collect the traceback of each."""
    own = ModelFailed(error.code, error.detail, retryable=error.retryable)
    own.__cause__ = error.__cause__
    return own


class Happened(StrEnum):
    LOADED = "loaded"
    EVICTED = "evicted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Change:
    happened: Happened
    path: str


@dataclass(slots=True)
class LoadTally:
    """The counts of a model file's loads, failed loads and evictions."""

    loads: int = 0
    failures: int = 0
    evictions: int = 0
    load_s: float = 0.0
    """The seconds of all its loads, including warm-up."""


@dataclass(frozen=True, slots=True)
class ResidentSession:
    """A session in memory, for heartbeats and the admin."""

    path: str
    weight_bytes: int
    """The size of its file."""
    load_s: float
    provider: str
    users: int
    runs: int
    rows: int
    run_s: float
    held_bytes: int = 0
    """The measured memory, including its arena and never less than its file."""
    warm_up_s: float = 0.0
    loaded_at_s: float = 0.0
    last_used_s: float = 0.0
    loads: int = 0


class State(Enum):
    WAITING = auto()
    LOADING = auto()
    READY = auto()


class Slot:
    """The state of a session. The host's lock guards it."""

    def __init__(
        self,
        path: str,
        *,
        nested: bool,
        name: str = "",
        on_cpu: bool = False,
        at_once: bool = False,
        isolated: bool = False,
    ) -> None:
        self.path = path
        self.name = name or Path(path).name
        self.on_cpu = on_cpu
        self.at_once = at_once
        self.isolated = isolated
        self.state = State.WAITING
        self.session: Future[Session] = Future()
        self.users = 0
        self.use = UseRate()
        self.held_bytes = self.loaded_bytes = self.file_bytes = self.needed_bytes = 0
        self.load_s = self.warm_up_s = self.loaded_at_s = 0.0
        self.blocked_since_s = 0.0
        self.gives_back = self.outgrown = False
        self._budget_bytes = 0
        self._nested = nested
        self._peak_bytes = 0
        self._measured_alone = False
        self._warm_arena = ArenaGrowth()

    @property
    def in_use(self) -> bool:
        return self.users > 0 or self.state is not State.READY

    def expect(self, profile: Profile, file_bytes: int, budget_bytes: int) -> None:
        """Set the memory that it is expected to take, from its profile, or else from the size of its file."""
        self.file_bytes = file_bytes
        self._budget_bytes = budget_bytes
        self._peak_bytes = profile.peak_bytes
        self._measured_alone = profile.alone
        self._believe(profile.loaded_bytes)
        self.refuse_if_too_large(budget_bytes)
        self.needed_bytes = max(self.loaded_bytes, min(profile.reserved_bytes(budget_bytes), budget_bytes))
        self.gives_back = profile.peak_bytes > budget_bytes

    def measured(self, measured_bytes: int, arena: ArenaGrowth, *, alone: bool) -> None:
        """Record a measurement. A value measured beside other loads or runs is used only if nothing better is known."""
        if alone or not self._measured_alone:
            self._measured_alone = alone
            self._believe(measured_bytes)
        self.needed_bytes = max(self.needed_bytes, self.loaded_bytes)
        self._warm_arena = arena

    def freed(self, freed_bytes: int) -> Mapping[str, Any]:
        """Return profile values from the freed memory: exactly what it held, better than the growth of its runs."""
        if self.gives_back or freed_bytes < self.file_bytes:
            return {}
        loaded_bytes = self.loaded_bytes if self._measured_alone else min(self.loaded_bytes, freed_bytes)
        return {"loaded_bytes": loaded_bytes, "peak_bytes": max(loaded_bytes, freed_bytes)}

    def _believe(self, measured_bytes: int) -> None:
        """Set the memory after the load. Others' memory in it may fill the budget, but never keep a model out."""
        if not self._measured_alone:
            measured_bytes = min(measured_bytes, self._budget_bytes)
        self.loaded_bytes = max(self.file_bytes, measured_bytes)

    def refuse_if_too_large(self, budget_bytes: int) -> None:
        if self.loaded_bytes > budget_bytes:
            raise ModelFailed(
                "model_exceeds_memory",
                f"{self.name} needs {self.loaded_bytes} bytes; models here may take {budget_bytes}",
            )

    def grown_bytes(self) -> int:
        """Return how far its arena grew beyond its reservation, negative if memory was given back."""
        growth = self.session.result().memory.growth
        now_bytes = self.loaded_bytes + growth.counted_bytes - self._warm_arena.counted_bytes
        return max(self.needed_bytes, now_bytes) - self.held_bytes

    def outgrow(self, *, sure: bool) -> None:
        """Handle a growth of its arena for which there is no capacity. The next run gives it back, and every run does
        if it is certain whose memory was measured. A session that is no longer used leaves memory.
        """
        self.outgrown = True
        memory = self.session.result().memory
        memory.give_back_next()
        if sure:
            self.gives_back = memory.gives_back = True

    def as_waiting(self, now_s: float) -> WaitingLoad:
        blocked_s = now_s - self.blocked_since_s if self.blocked_since_s else 0.0
        to_measure = not self._measured_alone
        return WaitingLoad(self.path, self.needed_bytes, to_measure, self._nested, blocked_s)

    def as_resident(self, now_s: float) -> Resident:
        return Resident(
            self.path,
            self.held_bytes,
            uses=self.use.by(now_s),
            load_s=self.load_s + self.warm_up_s,
            last_used_s=self.use.at_s,
            in_use=self.in_use,
        )

    def as_measured(self) -> Mapping[str, Any]:
        if self.session.done():
            arena_bytes = self.session.result().memory.growth.held_bytes - self._warm_arena.held_bytes
            self._peak_bytes = max(self._peak_bytes, self.loaded_bytes + arena_bytes)
        return {
            "file_bytes": self.file_bytes,
            "loaded_bytes": self.loaded_bytes,
            "alone": self._measured_alone,
            "peak_bytes": max(self._peak_bytes, self.loaded_bytes),
            "load_s": self.load_s,
            "warm_up_s": self.warm_up_s,
        }

    def describe(self, tally: LoadTally) -> ResidentSession:
        session = self.session.result()
        return ResidentSession(
            path=self.path,
            weight_bytes=self.file_bytes,
            load_s=self.load_s,
            provider=session.provider,
            users=self.users,
            runs=session.tally.runs,
            rows=session.tally.rows,
            run_s=session.tally.seconds,
            held_bytes=self.held_bytes,
            warm_up_s=self.warm_up_s,
            loaded_at_s=self.loaded_at_s,
            last_used_s=self.use.at_s,
            loads=tally.loads,
        )


def session_of(slot: Slot, call: Call | None, *, is_cold: bool) -> Session:
    """Wait for the session of a slot. Raises the error of its load, and CallCanceled or that of a late call."""
    with waiting_for_load(needed=is_cold):
        try:
            return slot.session.result() if call is None else call.result_of(slot.session)
        except ModelFailed as error:
            if slot.session.done() and slot.session.exception() is error:
                raise fresh(error) from error.__cause__
            raise
