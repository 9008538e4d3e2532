"""Opens the session of a slot, in this process or in a host of its own, measures its memory, and closes it."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from inference.core.errors import CallCanceled, ModelFailed
from inference.model_host import ModelHosts
from inference.runtime.hosted_session import HostedSession
from inference.runtime.isolated_session import IsolatedSession
from inference.runtime.machine import processor
from inference.runtime.memory_in_use import MemoryGauge, activity, host_memory
from inference.runtime.native import onnx_runtime
from inference.runtime.packed_files import PackedFiles
from inference.runtime.providers import ExecutionPlan
from inference.runtime.session import Session
from inference.runtime.session_slot import Slot

WarmUp = Callable[[Session], None]


@dataclass(frozen=True, slots=True)
class SessionOpening:
    plan: ExecutionPlan
    memory: MemoryGauge
    packed: PackedFiles | None
    model_hosts: ModelHosts

    def open(self, slot: Slot, warm_up: WarmUp | None) -> Session:
        return self._open_isolated(slot, warm_up) if slot.isolated else self._open_here(slot, warm_up)

    def close(self, slot: Slot) -> int | None:
        """Close the session, and return the bytes that were freed if that could be measured."""
        if slot.isolated:
            slot.session.result().close()
            return None
        memory = self._memory_of(slot)
        with activity.part() as part:
            before_bytes = memory.used_bytes()
            slot.session.result().close()
            activity.gave_back(slot.held_bytes)
            freed_bytes = before_bytes - memory.used_bytes()
            return freed_bytes if part.alone else None

    def give_back(self, slots: Iterable[Slot]) -> None:
        """Return the memory of closed sessions to the system."""
        for memory in {self._memory_of(slot) for slot in slots}:
            memory.give_back()

    def _open_here(self, slot: Slot, warm_up: WarmUp | None) -> Session:
        memory = self._memory_of(slot)
        plan = self.plan.on_cpu() if slot.on_cpu else self.plan
        with activity.part() as part:
            before_bytes = memory.used_bytes()
            packed = self.packed if slot.at_once else None
            session = HostedSession(Path(slot.path), plan, memory=memory, name=slot.name, packed=packed)
            slot.load_s = session.load_s
            if warm_up is not None:
                slot.warm_up_s = _warmed_up(session, warm_up)
            measured_bytes = memory.used_bytes() - before_bytes
            alone = part.alone
        slot.measured(measured_bytes, session.memory.growth, alone=alone)
        return session

    def _open_isolated(self, slot: Slot, warm_up: WarmUp | None) -> Session:
        session = IsolatedSession(Path(slot.path), self.model_hosts, name=slot.name)
        slot.load_s = session.load_s
        if warm_up is not None:
            slot.warm_up_s = _warmed_up(session, warm_up)
        growth = session.memory.growth
        slot.measured(session.memory.loaded_bytes + growth.held_bytes, growth, alone=True)
        return session

    def _memory_of(self, slot: Slot) -> MemoryGauge:
        """Return the gauge of the memory that the session is in. All memory counts against a single budget."""
        return host_memory() if slot.on_cpu and self.plan.on_gpu else self.memory


def _warmed_up(session: Session, warm_up: WarmUp) -> float:
    started_s = time.monotonic()
    try:
        warm_up(session)
    except BaseException:
        # The error may be kept for a while, and with it everything that was in progress.
        session.close()
        raise
    return time.monotonic() - started_s


def failure_of(name: str, error: BaseException) -> ModelFailed | CallCanceled:
    """Return the error that callers of a failed load get."""
    if isinstance(error, ModelFailed | CallCanceled):
        return error
    failure = ModelFailed("model_load_failed", f"{name}: {type(error).__name__}: {error}")
    failure.__cause__ = error
    return failure


def device_of(plan: ExecutionPlan) -> str:
    """Return the description of the device that the measurements are valid for."""
    return f"{plan.describe()}; {processor()}; ONNX Runtime {onnx_runtime().__version__}"
