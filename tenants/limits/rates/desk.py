"""Says at once, for most requests, whether their limits let them through; asks Redis for the others, many in one trip.

One for each event loop. Where Redis does not answer in time, a process goes on alone: by what it last heard, each
limit holds for it by itself. Nobody waits longer than `patience_s` for a trip, and nobody at all while Redis is known
to be away.
"""

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import structlog
from redis.exceptions import RedisError

from tenants.limits.rates.asking import Gate, Verdict
from tenants.limits.rates.limits import Kind, Limit
from tenants.limits.rates.metrics import ALONE, GATES
from tenants.limits.rates.slice import Slice
from tenants.limits.rates.slots import Slots
from tenants.limits.rates.tab import Tab
from tenants.limits.rates.trips import MOST_AT_ONCE, Trips

log = structlog.get_logger(__name__)
PATIENCE_S = 0.045
GRACE_S = 0.01
PROBED_EVERY_S = 0.25
SWEPT_EVERY_S = 0.25
LAST_WORDS_S = 1.0
_GATES: Mapping[Kind, Callable[[Limit, float], Gate]] = {"requests": Slice, "tokens": Tab, "calls": Slots}


@dataclass(frozen=True, slots=True)
class _Waiter:
    done: "asyncio.Future[None]"
    until_s: float
    """By the loop's clock."""

    def wake(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


class Desk:
    def __init__(self, url: str, *, patience_s: float = PATIENCE_S) -> None:
        self._trips = Trips(url, secrets.token_hex(8))
        self._patience_s = patience_s
        self._gates: dict[str, Gate] = {}
        self._asked: dict[str, Gate] = {}
        """For the next trip."""
        self._waiting: deque[_Waiter] = deque()
        self._for_next: list[_Waiter] = []
        self._timer: asyncio.TimerHandle | None = None
        self._away = False
        self._closing = False
        self._writer: asyncio.Task[None] | None = None
        self._sweeper: asyncio.Task[None] | None = None

    def gate(self, limit: Limit) -> Gate:
        """Kept as long as it is used; changed where the limit has."""
        found = self._gates.get(limit.key)
        if found is None:
            found = self._gates[limit.key] = _GATES[limit.kind](limit, time.monotonic())
            if self._sweeper is None and not self._closing:
                self._sweeper = asyncio.get_running_loop().create_task(self._sweep_on())
        elif found.limit.amount != limit.amount:
            found.change(limit)
        return found

    def take_now(self, gates: Sequence[Gate]) -> Gate | Verdict:
        """One of each: YES; ASK, where Redis has to be asked; or the gate that says no, and then none is taken."""
        now_s = time.monotonic()
        asks = False
        for gate in gates:
            verdict = gate.look_alone(now_s) if self._away else gate.look(now_s)
            if verdict is Verdict.NO:
                return gate
            asks = asks or verdict is Verdict.ASK
        if asks:
            return Verdict.ASK
        self._take(gates, now_s)
        return Verdict.YES

    async def take(self, gates: Sequence[Gate]) -> Gate | None:
        """The gate that says no; None where all have let this one through."""
        while (found := self.take_now(gates)) is Verdict.ASK:
            now_s = time.monotonic()
            await self._trip([gate for gate in gates if gate.look(now_s) is Verdict.ASK])
        return None if isinstance(found, Verdict) else found

    def tell(self, gate: Gate) -> None:
        """Redis hears of it with the next trip, and nobody waits for that."""
        self._asked[gate.limit.key] = gate
        self._set_out()

    async def close(self) -> None:
        """What is held goes back, if that is quickly done."""
        self._closing = True
        for task in (self._sweeper, self._writer):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        with suppress(RedisError, OSError, TimeoutError):
            async with asyncio.timeout(LAST_WORDS_S):
                await self._give_all_back()
        await self._trips.close()

    def _take(self, gates: Sequence[Gate], now_s: float) -> None:
        if self._away:
            ALONE.inc()
            for gate in gates:
                gate.take_alone(now_s)
            return
        for gate in gates:
            if gate.take(now_s):
                self.tell(gate)

    async def _trip(self, gates: Sequence[Gate]) -> None:
        loop = asyncio.get_running_loop()
        waiter = _Waiter(loop.create_future(), loop.time() + self._patience_s)
        for gate in gates:
            gate.waiting += 1
            self._asked[gate.limit.key] = gate
        self._for_next.append(waiter)
        self._waiting.append(waiter)
        if self._timer is None:
            self._timer = loop.call_at(waiter.until_s, self._lose_patience, waiter.until_s)
        self._set_out()
        try:
            await waiter.done
        finally:
            for gate in gates:
                gate.waiting -= 1

    def _lose_patience(self, due_s: float, *, had_grace: bool = False) -> None:
        loop = asyncio.get_running_loop()
        now_s, self._timer = loop.time(), None
        while self._waiting and self._waiting[0].done.done():
            self._waiting.popleft()
        if not self._waiting:
            return
        if now_s - due_s > GRACE_S / 2 and not had_grace:
            # This process was late itself: the answer may lie in its socket. One that is late each time decides alone.
            once_more = partial(self._lose_patience, now_s + GRACE_S, had_grace=True)
            self._timer = loop.call_later(GRACE_S, once_more)
        elif self._waiting[0].until_s > now_s:
            until_s = self._waiting[0].until_s
            self._timer = loop.call_at(until_s, self._lose_patience, until_s)
        else:
            self._leave("Redis does not answer in time")

    def _leave(self, why: str) -> None:
        """Goes on alone, until a trip is quick again."""
        if not self._away:
            log.warning("limits_redis_unavailable", error=why)
        self._away = True
        while self._waiting:
            self._waiting.popleft().wake()

    def _set_out(self) -> None:
        if self._writer is None and not self._closing:
            self._writer = asyncio.get_running_loop().create_task(self._write_on())

    async def _write_on(self) -> None:
        try:
            while self._asked or self._away:
                waiters, self._for_next = self._for_next, []
                if not self._away or await self._is_answered():
                    await self._ask(self._next_asked())
                for waiter in waiters:
                    waiter.wake()
                if self._away:
                    await asyncio.sleep(PROBED_EVERY_S)
        finally:
            self._writer = None
            while self._waiting:
                self._waiting.popleft().wake()

    async def _is_answered(self) -> bool:
        """A bare question tells whether Redis is quick again; one about thousands of limits never would."""
        began_s = time.monotonic()
        answered = await self._ask([])
        if answered and time.monotonic() - began_s <= self._patience_s:
            self._away = False
        return answered

    def _next_asked(self) -> list[Gate]:
        """All that somebody waits for; of the rest, which nobody does, as much as has room in the same trip."""
        asked, self._asked = self._asked, {}
        if len(asked) <= MOST_AT_ONCE:
            return list(asked.values())
        by_need = sorted(asked.values(), key=lambda gate: not gate.waiting)
        count = max(MOST_AT_ONCE, sum(1 for gate in by_need if gate.waiting))
        self._asked = {gate.limit.key: gate for gate in by_need[count:]}
        return by_need[:count]

    async def _ask(self, gates: Sequence[Gate]) -> bool:
        """Whether there was an answer, however late."""
        began_s = time.monotonic()
        asks = [gate.ask(began_s) for gate in gates]
        try:
            answers = await self._trips.go([gate.limit.key for gate in gates], asks)
        except (RedisError, OSError, TimeoutError) as error:
            self._leave(str(error) or type(error).__name__)
        except Exception as error:
            # A defect; limits are no reason to answer nobody any more.
            log.exception("limits_failed")
            self._leave(str(error))
        else:
            now_s = time.monotonic()
            for gate, heard in zip(gates, answers, strict=True):
                gate.hear(heard, now_s)
            return True
        for gate in gates:
            gate.lose(time.monotonic())
        return False

    async def _sweep_on(self) -> None:
        while True:
            await asyncio.sleep(SWEPT_EVERY_S)
            now_s = time.monotonic()
            for key, gate in list(self._gates.items()):
                if gate.is_due(now_s):
                    self._asked[key] = gate
                elif gate.is_idle(now_s):
                    del self._gates[key]
            GATES.set(len(self._gates))
            if self._asked:
                self._set_out()

    async def _give_all_back(self) -> None:
        gates = list(self._gates.values())
        for gate in gates:
            gate.retire()
        await self._trips.go(
            [gate.limit.key for gate in gates], [gate.ask(time.monotonic()) for gate in gates]
        )
