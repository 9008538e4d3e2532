"""Carries out a plan of faults, and records them in a diary."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import pika
import psutil  # type: ignore[import-untyped]
import psycopg
import redis

from .cluster import WORKERS, Cluster, thaw, worker_name
from .disks import Disks
from .line import Line
from .load import Load
from .plan import Fault, Kind
from .rows import Held, Rows

_WIPE_WAITS_S = 5.0
_WIPE_TRIES = 12
_BUSY_WITHIN_S = 2.0
_UNDER_WAY = 5
"""Messages that a wipe waits for, because an empty broker has nothing to lose."""
_LOOK_EVERY_S = 0.05

_DELAY_S = 0.05
"""The delay of every piece in each direction, as for a database in another city."""
_BREAKS: Mapping[Kind, Callable[[Line], None]] = {
    Kind.CUT: Line.cut,
    Kind.REFUSE: Line.refuse,
    Kind.STALL: Line.stall,
    Kind.SLOW: lambda line: line.slow(_DELAY_S),
    Kind.DEAF: Line.deafen,
}

Undo = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Struck:
    fault: Fault
    at_s: float
    """The time by the wall clock, which on one machine is also the database's."""
    over_s: float = 0.0
    held: Sequence[Held] = field(default_factory=tuple)
    """Pages that a killed worker was working on."""


class Faults:
    def __init__(
        self,
        cluster: Cluster,
        lines: Mapping[str, Line],
        load: Load,
        rows: Rows,
        say: Callable[[str], None],
    ) -> None:
        self._cluster = cluster
        self._lines = lines
        self._load = load
        self._rows = rows
        self._say = say
        self.diary: list[Struck] = []

    async def strike(self, plan: list[Fault]) -> None:
        """Start one fault after the other. A lasting fault continues beside those that follow."""
        async with asyncio.TaskGroup() as lasting:
            for fault in plan:
                await self._calm(fault.calm_s)
                await self._load.hold_at(fault.after)
                await self._load.until_accepted(fault.after)
                struck = Struck(fault, time.time())
                self.diary.append(struck)
                self._say(f"{len(self.diary):3}/{len(plan)}  after job {fault.after}: {fault}")
                lasting.create_task(self._end_of(struck, await self._begin(struck)))
                await asyncio.sleep(fault.quiet_s)
            await self._load.go_on()

    async def _calm(self, calm_s: float) -> None:
        """Wait for calm before jobs are submitted for a fault, so that there is work when it strikes."""
        over_s = max((one.at_s + one.fault.lasts_s for one in self.diary), default=0.0)
        if calm_s:
            await asyncio.sleep(max(0.0, over_s + calm_s - time.time()))

    async def _begin(self, struck: Struck) -> Undo:
        """Begin a fault, and return the function that ends it."""
        target = struck.fault.target
        match struck.fault.kind:
            case Kind.KILL:
                await self._kill(struck)
            case Kind.FREEZE:
                return partial(_thaw, await self._cluster.freeze(target))
            case Kind.WIPE:
                await self._wipe()
            case Kind.PROMOTE:
                self._say(f"         the standby took over in {await self._cluster.promote():.1f} s")
            case Kind.CLOCK if clocks := self._cluster.clocks:
                clocks.shift(target, struck.fault.shift_s)
            case Kind.FILL if disks := self._cluster.disks:
                disks.fill(target)
                return partial(_free, disks, target)
            case kind:
                line = self._lines[target]
                _BREAKS[kind](line)
                return line.mend
        return _nothing

    async def _end_of(self, struck: Struck, undo: Undo) -> None:
        await asyncio.sleep(struck.fault.lasts_s)
        await undo()
        struck.over_s = time.time()

    async def _kill(self, struck: Struck) -> None:
        target = struck.fault.target
        if target in WORKERS:
            target = await self._at_work(target)
        pid = await self._cluster.kill(target)
        struck.at_s = time.time()
        if target in WORKERS:
            struck.held = await self._held(pid)
            self._say(f"         {target} had {len(struck.held)} pages in hand")

    async def _at_work(self, planned: str) -> str:
        """Return the other worker if only that worker is busy, because a worker must die in the middle of its work."""
        deadline = time.monotonic() + _BUSY_WITHIN_S
        while time.monotonic() < deadline:
            for name in (planned, *WORKERS):
                if await self._held((await self._cluster.process(name)).pid):
                    return name
        return planned

    async def _held(self, pid: int) -> list[Held]:
        """Return the pages that a worker held. Return none if the database is down as well: then their wait cannot be
        measured.
        """
        with suppress(psycopg.Error, TimeoutError):
            async with asyncio.timeout(1.0):
                return await self._rows.held_by(worker_name(pid))
        return []

    async def _wipe(self) -> None:
        """Wipe the broker while the workers are suspended, so that there are messages to lose.

        On a slow machine callers may be refused at that moment. The workers then resume for a while, and it is tried
        again.
        """
        for left in reversed(range(_WIPE_TRIES)):
            frozen = [process for name in WORKERS for process in await self._cluster.freeze(name)]
            try:
                if await self._some_are_under_way() or self._load.is_over or not left:
                    return await self._until_wiped()
            finally:
                thaw(frozen)
            await asyncio.sleep(1.0)

    async def _some_are_under_way(self) -> bool:
        """Wait for the full number of messages, or at least one by the deadline."""
        found = 0
        deadline = time.monotonic() + _WIPE_WAITS_S
        while found < _UNDER_WAY and time.monotonic() < deadline:
            with suppress(psycopg.Error, TimeoutError):
                async with asyncio.timeout(_WIPE_WAITS_S):
                    found = await self._rows.under_way()
            await asyncio.sleep(_LOOK_EVERY_S)
        return found > 0

    async def _until_wiped(self) -> None:
        """Wipe the broker. Wait for it if it was killed a moment ago."""
        while True:
            try:
                return self._cluster.wipe()
            except (redis.RedisError, pika.exceptions.AMQPError, OSError):
                await asyncio.sleep(_LOOK_EVERY_S)


async def _free(disks: Disks, disk: str) -> None:
    disks.free(disk)


async def _thaw(frozen: list[psutil.Process]) -> None:
    thaw(frozen)


async def _nothing() -> None:
    """Do nothing, because a kill has no end."""
