"""Sessions held under a memory budget. Each is loaded once for all callers, and evicted when capacity is needed."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import structlog

from inference.core.calls import Call
from inference.core.errors import CallCanceled, ModelFailed
from inference.model_host import HostLimits, ModelHosts, OnPaused, StaysPaused
from inference.runtime.borrowed_session import Borrowed
from inference.runtime.load_order import LoadTurn, next_load
from inference.runtime.memory_in_use import MemoryGauge, memory_of
from inference.runtime.packed_files import PackedFiles
from inference.runtime.profiles import Profile, ProfileKeeper, ProfileStore
from inference.runtime.providers import ExecutionPlan
from inference.runtime.residency import Resident, UseRate, make_room
from inference.runtime.session import Session, weight_bytes
from inference.runtime.session_opening import SessionOpening, WarmUp, device_of, failure_of
from inference.runtime.session_slot import (
    Change,
    Happened,
    LoadFailures,
    LoadTally,
    ResidentSession,
    Slot,
    State,
    session_of,
)

__all__ = ["Change", "Happened", "LoadTally", "ResidentSession", "SessionHost"]

log = structlog.get_logger(__name__)
MAX_GONE = 4096


class SessionHost:
    """A host of sessions. It evicts no session that is in use. By the measurements, its sessions never exceed the
    memory budget.
    """

    def __init__(
        self,
        plan: ExecutionPlan,
        *,
        budget_bytes: int,
        wait_for_room_s: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
        profiles: ProfileStore | None = None,
        memory: MemoryGauge | None = None,
        packed: PackedFiles | None = None,
        model_hosts: ModelHosts | None = None,
    ) -> None:
        """Set up the host. With `packed`, sessions that are wanted so have several runs at once. Isolated sessions run
        in processes of `model_hosts`.
        """
        self.model_hosts = model_hosts or ModelHosts(HostLimits().within(budget_bytes))
        self.plan = plan
        self.budget_bytes = budget_bytes
        self.profiles = ProfileKeeper(profiles, device_of(plan))
        self._wait_for_room_s = wait_for_room_s
        self._clock = clock
        self._opening = SessionOpening(plan, memory or memory_of(on_gpu=plan.on_gpu), packed, self.model_hosts)
        self._slots: dict[str, Slot] = {}
        self._queue: list[Slot] = []
        self._gone: dict[str, UseRate] = {}
        """The use rates of models that are not in memory now. They come back with the worth that they had."""
        self._failures = LoadFailures()
        self._tallies: dict[str, LoadTally] = {}
        self._listeners: list[Callable[[Change], None]] = []
        self._changed = threading.Condition()
        self._own = threading.local()

    @property
    def on_gpu(self) -> bool:
        return self.plan.on_gpu

    def load(
        self,
        path: str | Path,
        warm_up: WarmUp | None = None,
        *,
        call: Call | None = None,
        name: str = "",
        on_cpu: bool = False,
        at_once: bool = False,
        isolated: bool = False,
    ) -> None:
        with self.session(path, warm_up, call=call, name=name, on_cpu=on_cpu, at_once=at_once, isolated=isolated):
            pass

    @contextmanager
    def session(
        self,
        path: str | Path,
        warm_up: WarmUp | None = None,
        *,
        call: Call | None = None,
        name: str = "",
        on_cpu: bool = False,
        at_once: bool = False,
        isolated: bool = False,
    ) -> Iterator[Session]:
        """Yield the session of this file, loaded and warmed up if necessary, and keep it while the block lasts.

        A caller that leaves, because `call` was canceled or is late, does not end a load for others. The first caller
        sets the name for messages. With `on_cpu`, the session runs on the CPU even if there is a GPU. With `at_once`,
        it has several runs at the same time on the CPU, where that pays. With `isolated`, it runs on the CPU in a
        process of its own, and a file that is open in this process is refused.
        """
        slot, is_cold = self._enter(
            resolved(str(path)), warm_up, name, on_cpu=on_cpu, at_once=at_once, isolated=isolated
        )
        try:
            session = session_of(slot, call, is_cold=is_cold)
            self._own.held = self._held_here + 1
            try:
                yield session
            finally:
                self._own.held -= 1
        finally:
            self._leave(slot)

    def borrow(self, path: str | Path, users: int = 1, *, isolated: bool = False) -> Borrowed | None:
        """Return the session if it is in memory, kept until any threads give it back. This loads nothing."""
        with self._changed:
            slot = self._slots.get(resolved(str(path)))
            if slot is None or slot.state is not State.READY or (isolated and not slot.isolated):
                return None
            slot.users += 1
            slot.use = slot.use.again(self._clock(), users)
        return Borrowed(slot.session.result(), users, lambda: self._leave(slot))

    @contextmanager
    def kept(self, path: str | Path) -> Iterator[Session]:
        """Yield the session for work on behalf of callers that hold it, or raise CallCanceled. This loads nothing."""
        with self._changed:
            slot = self._slots.get(resolved(str(path)))
            if slot is None or slot.state is not State.READY:
                raise CallCanceled
            slot.users += 1
        try:
            yield slot.session.result()
        finally:
            self._leave(slot)

    def resident(self) -> tuple[ResidentSession, ...]:
        with self._changed:
            return tuple(
                slot.describe(self._tallies[slot.path]) for slot in self._slots.values() if slot.state is State.READY
            )

    @property
    def held_bytes(self) -> int:
        """Return the measured memory of all sessions held or being loaded. It never exceeds the budget."""
        with self._changed:
            return sum(slot.held_bytes for slot in self._slots.values())

    def tallies(self) -> Mapping[str, LoadTally]:
        """Return the counts of each file since this process began, whether or not it is in memory now."""
        with self._changed:
            return {path: replace(tally) for path, tally in self._tallies.items()}

    def on_change(self, listener: Callable[[Change], None]) -> None:
        """Subscribe to loads, evictions and failed loads. The listener is called in the thread that did it."""
        self._listeners.append(listener)

    def on_paused(self, listener: OnPaused) -> None:
        """Subscribe to isolated models that are paused because their processes died several times in a row."""
        self.model_hosts.on_paused(listener)

    def pause_while(self, stays_paused: StaysPaused) -> None:
        """Ask before a call of a paused model is refused, by the model's name."""
        self.model_hosts.pause_while(stays_paused)

    def profile(self, path: str | Path) -> Profile | None:
        """Return what is known of the file on this device, or None before its first use."""
        return self.profiles.profile_of(resolved(str(path)))

    def learn(
        self,
        path: str | Path,
        *,
        fit: Mapping[str, Any] | None = None,
        exactness: Mapping[str, Any] | None = None,
    ) -> None:
        """Add values to the model's profile. They are saved with it within half a minute."""
        given = {"fit": fit, "exactness": exactness}
        self.profiles.change(resolved(str(path)), **{name: value for name, value in given.items() if value is not None})

    def evict(self, path: str | Path) -> bool:
        """Drop a session that is not in use. Return False if it is not held or is in use."""
        key = resolved(str(path))
        with self._changed:
            self._failures.forget(key)
            slot = self._slots.get(key)
            if slot is None or slot.in_use:
                return False
            self._take_out([key])
        self._drop([slot])
        return True

    def stop(self) -> None:
        """Save what was learned. Sessions stay as they are, because the process is about to end."""
        self.profiles.stop()

    def describe(self) -> str:
        return self.plan.describe()

    @property
    def _held_here(self) -> int:
        """Return the number of sessions that this thread has in use."""
        return getattr(self._own, "held", 0)

    def _enter(
        self, key: str, warm_up: WarmUp | None, name: str, *, on_cpu: bool, at_once: bool, isolated: bool
    ) -> tuple[Slot, bool]:
        """Return the file's slot, and whether it is not in memory yet."""
        if isolated and self.model_hosts.check(key, name):
            with self._changed:
                self._failures.forget(key)
        now_s = self._clock()
        with self._changed:
            slot = self._slots.get(key)
            is_new = slot is None
            if slot is None:
                self._failures.refuse(key, time.monotonic())
                nested = self._held_here > 0
                slot = Slot(key, nested=nested, name=name, on_cpu=on_cpu, at_once=at_once, isolated=isolated)
                self._slots[key] = slot
                slot.use = self._gone.pop(key, UseRate())
            elif isolated and not slot.isolated:
                raise ModelFailed("model_load_failed", f"{name}: its file is open in the worker, without isolation")
            slot.users += 1
            slot.use = slot.use.again(now_s)
            is_cold = slot.state is not State.READY
        if is_new:
            self._begin(slot, warm_up)
        return slot, is_cold

    def _begin(self, slot: Slot, warm_up: WarmUp | None) -> None:
        name = f"load-{slot.name}"
        try:
            threading.Thread(target=self._load, args=(slot, warm_up), name=name, daemon=True).start()
        except RuntimeError as error:
            failure = ModelFailed("model_load_failed", f"{name}: {error}", retryable=True)
            self._fail(slot, failure)

    def _leave(self, slot: Slot) -> None:
        leaving: list[Slot] = []
        with self._changed:
            slot.users -= 1
            if slot.outgrown and not slot.in_use and self._slots.get(slot.path) is slot:
                leaving = self._take_out([slot.path])
            if not slot.users and self._queue:
                self._changed.notify_all()
        self._drop(leaving)

    def _load(self, slot: Slot, warm_up: WarmUp | None) -> None:
        """Load the session in its own thread. Whatever happens, the slot then has its session or its error."""
        try:
            file_bytes = weight_bytes(Path(slot.path))
            slot.expect(self.profiles.read(slot.path), file_bytes, self.budget_bytes)
            session = None
            while session is None:
                self._wait_for_turn(slot)
                session = self._open(slot, warm_up)
        except BaseException as error:
            self._fail(slot, failure_of(slot.name, error))
            return
        self._publish(slot, session)

    def _wait_for_turn(self, slot: Slot) -> None:
        """Wait until there is capacity and reserve it. The sessions that had to leave for it have then left."""
        with self._changed:
            self._queue.append(slot)
            try:
                turn = self._turn_of(slot)
                leaving = self._take_out(turn.evict)
                slot.state, slot.held_bytes = State.LOADING, slot.needed_bytes
            finally:
                self._queue.remove(slot)
                self._changed.notify_all()
        self._drop(leaving)

    def _turn_of(self, slot: Slot) -> LoadTurn:
        while True:
            if not slot.users:
                # The slot is removed under the same lock, so a caller that comes from now on begins its own load.
                del self._slots[slot.path]
                raise CallCanceled
            now_s = time.monotonic()
            turn = self._next_turn(now_s)
            if turn.path == slot.path:
                slot.blocked_since_s = 0.0
                return turn
            left_s = None
            if slot.path in turn.blocked:
                slot.blocked_since_s = slot.blocked_since_s or now_s
                left_s = slot.blocked_since_s + self._wait_for_room_s - now_s
                if left_s <= 0:
                    raise ModelFailed(
                        "model_memory_busy",
                        f"{slot.name} needs {slot.needed_bytes} bytes, and the models that fill the"
                        f" {self.budget_bytes} for all are in use; none was free for {self._wait_for_room_s:g} s",
                        retryable=True,
                    )
            self._changed.wait(left_s)

    def _next_turn(self, now_s: float) -> LoadTurn:
        return next_load(
            [slot.as_waiting(now_s) for slot in self._queue],
            self._residents(),
            loading=[slot.as_waiting(now_s) for slot in self._slots.values() if slot.state is State.LOADING],
            budget_bytes=self.budget_bytes,
        )

    def _open(self, slot: Slot, warm_up: WarmUp | None) -> Session | None:
        """Open the session, or return None if it is larger than expected and must wait for capacity again."""
        session = self._opening.open(slot, warm_up)
        if self._has_room_for(slot):
            return session
        session.close()
        self._opening.give_back([slot])
        self._remember(slot)
        with self._changed:
            slot.state, slot.held_bytes = State.WAITING, 0
            # Its slot among the concurrent loads is free.
            self._changed.notify_all()
        slot.refuse_if_too_large(self.budget_bytes)
        return None

    def _has_room_for(self, slot: Slot) -> bool:
        with self._changed:
            more_bytes = max(0, slot.loaded_bytes - slot.held_bytes)
            room = make_room(self._residents(), needed_bytes=more_bytes, budget_bytes=self.budget_bytes)
            if not room.enough:
                return False
            leaving = self._take_out(room.evict)
            slot.held_bytes += more_bytes
        self._drop(leaving)
        return True

    def _publish(self, slot: Slot, session: Session) -> None:
        session.memory.gives_back = slot.gives_back
        session.memory.on_growth = lambda sure: self._grown(slot, sure=sure)
        with self._changed:
            slot.loaded_at_s = time.monotonic()
            slot.state = State.READY
            self._failures.forget(slot.path)
            tally = self._tally(slot.path)
            tally.loads += 1
            tally.load_s += slot.load_s + slot.warm_up_s
            slot.session.set_result(session)
            self._changed.notify_all()
        self._remember(slot)
        self._tell(Change(Happened.LOADED, slot.path))
        self.profiles.save()

    def _fail(self, slot: Slot, error: ModelFailed | CallCanceled) -> None:
        with self._changed:
            if self._slots.get(slot.path) is slot:
                del self._slots[slot.path]
            if isinstance(error, ModelFailed):
                self._tally(slot.path).failures += 1
                if not error.retryable:
                    self._failures.note(slot.path, error, time.monotonic())
            slot.session.set_exception(error)
            self._changed.notify_all()
        if isinstance(error, ModelFailed):
            self._tell(Change(Happened.FAILED, slot.path))

    def _grown(self, slot: Slot, *, sure: bool) -> None:
        """Account for a run that changed its arena. Idle sessions leave only for growth that is certainly its own."""
        with self._changed:
            if self._slots.get(slot.path) is not slot:
                return
            more_bytes = slot.grown_bytes()
            others = self._residents() if sure else [replace(resident, in_use=True) for resident in self._residents()]
            room = make_room(others, needed_bytes=more_bytes, budget_bytes=self.budget_bytes)
            leaving = self._take_out(room.evict)
            slot.outgrown = False
            if room.enough:
                slot.held_bytes += more_bytes
                self._changed.notify_all()
            else:
                slot.outgrow(sure=sure)
        if not room.enough:
            log.info("model_memory_exceeded", file=Path(slot.path).name, more_bytes=more_bytes, certain=sure)
        self._drop(leaving)
        self._remember(slot)

    def _residents(self) -> list[Resident]:
        now_s = self._clock()
        return [slot.as_resident(now_s) for slot in self._slots.values() if slot.state is not State.WAITING]

    def _take_out(self, paths: Sequence[str]) -> list[Slot]:
        """Remove the slots under the lock. They are dropped without it, because ending a session may take a while."""
        slots = [self._slots.pop(path) for path in paths]
        for slot in slots:
            self._gone[slot.path] = slot.use
            self._tally(slot.path).evictions += 1
        while len(self._gone) > MAX_GONE:
            self._gone.pop(next(iter(self._gone)))
        return slots

    def _drop(self, slots: Sequence[Slot]) -> None:
        for slot in slots:
            freed_bytes = self._opening.close(slot)
            if freed_bytes is not None:
                self.profiles.change(slot.path, **slot.freed(freed_bytes))
        self._opening.give_back(slots)
        for slot in slots:
            self._tell(Change(Happened.EVICTED, slot.path))

    def _remember(self, slot: Slot) -> None:
        self.profiles.change(slot.path, **slot.as_measured())

    def _tally(self, path: str) -> LoadTally:
        return self._tallies.setdefault(path, LoadTally())

    def _tell(self, change: Change) -> None:
        for listener in self._listeners:
            try:
                listener(change)
            except Exception:
                log.exception("residency_listener_failed", change=change.happened.value)


@lru_cache(maxsize=4096)
def resolved(path: str) -> str:
    """Return the path by which the file is known here. It is looked up in the file system only once."""
    return str(Path(path).resolve())
