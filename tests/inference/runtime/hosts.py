"""Provide session hosts for tests, and requests to them."""

import itertools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inference.runtime.memory_in_use import MemoryGauge
from inference.runtime.profiles import ProfileStore
from inference.runtime.providers import CPU, plan_execution
from inference.runtime.session_host import SessionHost
from inference.runtime.tensors import Array

PLAN = plan_execution([CPU], threads=1, has_nvidia_gpu=False)


class StillMemory:
    """A memory in which nothing is used. A model counts as much as its file, and a test can set its budget."""

    def __init__(self) -> None:
        self.given_back = 0

    def used_bytes(self) -> int:
        return 0

    def mapped_bytes(self) -> int:
        return 0

    def give_back(self) -> None:
        self.given_back += 1


class ToldMemory(StillMemory):
    """A memory whose readings a test sets, one after another. The last one is repeated forever."""

    def __init__(self, *readings: int) -> None:
        super().__init__()
        self.readings = list(readings)

    def used_bytes(self) -> int:
        return self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]


def host(
    *,
    budget_bytes: int = 1 << 30,
    wait_for_room_s: float = 0.0,
    memory: MemoryGauge | None = None,
    profiles: ProfileStore | None = None,
) -> SessionHost:
    ticks = itertools.count()
    return SessionHost(
        PLAN,
        budget_bytes=budget_bytes,
        wait_for_room_s=wait_for_room_s,
        clock=lambda: float(next(ticks)),
        profiles=profiles,
        memory=memory or StillMemory(),
    )


def run(sessions: SessionHost, path: Path, **feeds: Array) -> list[Any]:
    with sessions.session(path) as session:
        return session.run(feeds)


def held(sessions: SessionHost) -> set[str]:
    return {Path(session.path).name for session in sessions.resident()}


def in_threads(count: int, work: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
