"""Sessions held under a memory budget: loaded once however many ask, evicted when room is needed."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inference.runtime.errors import ModelFailed
from inference.runtime.hosted_session import HostedSession, weight_bytes
from inference.runtime.providers import ExecutionPlan
from inference.runtime.residency import Resident, make_room
from inference.runtime.tensors import Array

WarmUp = Callable[[HostedSession], None]


@dataclass(frozen=True, slots=True)
class ResidentSession:
    """A session in memory, for heartbeats and the admin."""

    path: str
    weight_bytes: int
    load_s: float
    provider: str
    users: int


class _Slot:
    """A place in memory, taken before its session is loaded so that later callers wait for that load."""

    def __init__(self, needed_bytes: int) -> None:
        self.weight_bytes = needed_bytes
        self.session: Future[HostedSession] = Future()
        self.users = 0
        self.last_used_s = 0.0

    def as_resident(self, path: str) -> Resident:
        return Resident(path, self.weight_bytes, self.last_used_s, in_use=self.users > 0)


class SessionHost:
    def __init__(
        self,
        plan: ExecutionPlan,
        *,
        budget_bytes: int,
        wait_for_room_s: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.plan = plan
        self.budget_bytes = budget_bytes
        self._wait_for_room_s = wait_for_room_s
        self._clock = clock
        self._slots: dict[str, _Slot] = {}
        self._changed = threading.Condition()

    def load(self, path: str | Path, warm_up: WarmUp | None = None) -> None:
        with self.session(path, warm_up):
            pass

    def run(
        self, path: str | Path, feeds: Mapping[str, Array], outputs: Sequence[str] | None = None
    ) -> list[Any]:
        with self.session(path) as session:
            return session.run(feeds, outputs)

    @contextmanager
    def session(self, path: str | Path, warm_up: WarmUp | None = None) -> Iterator[HostedSession]:
        """The session of this file, loaded and warmed up if need be; kept while the block lasts."""
        key = str(Path(path).resolve())
        slot, is_mine_to_load = self._enter(key)
        try:
            if is_mine_to_load:
                self._fill(key, slot, warm_up)
            yield slot.session.result()
        finally:
            self._leave(slot)

    def resident(self) -> tuple[ResidentSession, ...]:
        with self._changed:
            return tuple(
                ResidentSession(path, slot.weight_bytes, session.load_s, session.provider, slot.users)
                for path, slot in self._slots.items()
                if slot.session.done()
                for session in (slot.session.result(),)
            )

    def evict(self, path: str | Path) -> bool:
        """Drop a session that nobody uses; False when it is not held or is in use."""
        key = str(Path(path).resolve())
        with self._changed:
            slot = self._slots.get(key)
            if slot is None or slot.users:
                return False
            del self._slots[key]
            self._changed.notify_all()
            return True

    def describe(self) -> str:
        return self.plan.describe()

    def _enter(self, key: str) -> tuple[_Slot, bool]:
        with self._changed:
            if key not in self._slots:
                self._wait_for_room(key)
            # Looked up again: another caller may have begun to load the same file during the wait.
            is_mine_to_load = key not in self._slots
            slot = self._slots.setdefault(key, _Slot(weight_bytes(Path(key))))
            slot.users += 1
            slot.last_used_s = self._clock()
            return slot, is_mine_to_load

    def _leave(self, slot: _Slot) -> None:
        with self._changed:
            slot.users -= 1
            self._changed.notify_all()

    def _wait_for_room(self, key: str) -> None:
        """Called under the lock, which is let go while waiting for a session in use to end."""
        needed_bytes = weight_bytes(Path(key))
        if needed_bytes > self.budget_bytes:
            raise ModelFailed(
                "model_exceeds_memory",
                f"{Path(key).name} needs {needed_bytes} bytes; models here may take {self.budget_bytes}",
            )
        if not self._changed.wait_for(lambda: self._has_room(key, needed_bytes), self._wait_for_room_s):
            raise ModelFailed(
                "model_memory_busy",
                f"every model in memory is in use; {Path(key).name} waits",
                retryable=True,
            )

    def _has_room(self, key: str, needed_bytes: int) -> bool:
        if key in self._slots:
            return True
        residents = [slot.as_resident(path) for path, slot in self._slots.items()]
        room = make_room(residents, needed_bytes=needed_bytes, budget_bytes=self.budget_bytes)
        for path in room.evict:
            del self._slots[path]
        return room.enough

    def _fill(self, key: str, slot: _Slot, warm_up: WarmUp | None) -> None:
        try:
            session = HostedSession(Path(key), self.plan)
            if warm_up is not None:
                warm_up(session)
        except BaseException as error:
            with self._changed:
                self._slots.pop(key, None)
            slot.session.set_exception(error)
        else:
            slot.session.set_result(session)
