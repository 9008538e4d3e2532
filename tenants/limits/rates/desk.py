"""Decide immediately for most requests whether their limits admit them, and ask Redis about the others, many in one
round trip.

Each event loop has one such limiter. If Redis does not answer in time, the process decides alone: each limit then
applies to it separately, starting from the last known state. No request waits longer than `timeout_s` for a round
trip, and none waits while Redis is known to be unavailable.
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
from tenants.limits.rates.trips import MAX_AT_ONCE, Trips

log = structlog.get_logger(__name__)
TIMEOUT_S = 0.045
GRACE_S = 0.01
PROBED_EVERY_S = 0.25
SWEPT_EVERY_S = 0.25
LAST_WORDS_S = 1.0
_GATES: Mapping[Kind, Callable[[Limit, float], Gate]] = {"requests": Slice, "tokens": Tab, "calls": Slots}


@dataclass(frozen=True, slots=True)
class _Waiter:
    done: "asyncio.Future[None]"
    until_s: float
    """The end of the wait by the event loop's clock."""

    def wake(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


class Desk:
    def __init__(self, url: str, *, timeout_s: float = TIMEOUT_S) -> None:
        self._trips = Trips(url, secrets.token_hex(8))
        self._timeout_s = timeout_s
        self._gates: dict[str, Gate] = {}
        self._asked: dict[str, Gate] = {}
        """The limits that the next round trip asks about."""
        self._waiting: deque[_Waiter] = deque()
        self._for_next: list[_Waiter] = []
        self._timer: asyncio.TimerHandle | None = None
        self._away = False
        self._closing = False
        self._writer: asyncio.Task[None] | None = None
        self._sweeper: asyncio.Task[None] | None = None

    def gate(self, limit: Limit) -> Gate:
        """Return the share of the limit. It is kept as long as it is used, and adjusted if the limit has changed."""
        found = self._gates.get(limit.key)
        if found is None:
            found = self._gates[limit.key] = _GATES[limit.kind](limit, time.monotonic())
            if self._sweeper is None and not self._closing:
                self._sweeper = asyncio.get_running_loop().create_task(self._sweep_on())
        elif found.limit.amount != limit.amount:
            found.change(limit)
        return found

    def take_now(self, gates: Sequence[Gate]) -> Gate | Verdict:
        """Take one of each limit. Return YES; or ASK if Redis must be asked; or the share whose limit refuses. Nothing
        is taken in the last two cases.
        """
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
        """Take one of each limit. Return the share whose limit refuses, or None if all admit the request."""
        while (found := self.take_now(gates)) is Verdict.ASK:
            now_s = time.monotonic()
            await self._trip([gate for gate in gates if gate.look(now_s) is Verdict.ASK])
        return None if isinstance(found, Verdict) else found

    def tell(self, gate: Gate) -> None:
        """Report to Redis with the next round trip, for which no request waits."""
        self._asked[gate.limit.key] = gate
        self._set_out()

    async def close(self) -> None:
        """Give back what is held, if that takes little time."""
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
        waiter = _Waiter(loop.create_future(), loop.time() + self._timeout_s)
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
            # The process itself was late, so the answer may already be in its socket. A process that is late every time
            # decides alone.
            once_more = partial(self._lose_patience, now_s + GRACE_S, had_grace=True)
            self._timer = loop.call_later(GRACE_S, once_more)
        elif self._waiting[0].until_s > now_s:
            until_s = self._waiting[0].until_s
            self._timer = loop.call_at(until_s, self._lose_patience, until_s)
        else:
            self._leave("Redis does not answer in time")

    def _leave(self, why: str) -> None:
        """Decide alone until a round trip is fast again."""
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
        """Test with an empty request whether Redis is fast again. A request about thousands of limits would never be
        fast.
        """
        began_s = time.monotonic()
        answered = await self._ask([])
        if answered and time.monotonic() - began_s <= self._timeout_s:
            self._away = False
        return answered

    def _next_asked(self) -> list[Gate]:
        """Return all limits for which a request waits, and as many of the others as fit into the same round trip."""
        asked, self._asked = self._asked, {}
        if len(asked) <= MAX_AT_ONCE:
            return list(asked.values())
        by_need = sorted(asked.values(), key=lambda gate: not gate.waiting)
        count = max(MAX_AT_ONCE, sum(1 for gate in by_need if gate.waiting))
        self._asked = {gate.limit.key: gate for gate in by_need[count:]}
        return by_need[:count]

    async def _ask(self, gates: Sequence[Gate]) -> bool:
        """Return whether there was an answer, however late."""
        began_s = time.monotonic()
        asks = [gate.ask(began_s) for gate in gates]
        try:
            answers = await self._trips.go([gate.limit.key for gate in gates], asks)
        except (RedisError, OSError, TimeoutError) as error:
            self._leave(str(error) or type(error).__name__)
        except Exception as error:
            # This is a defect. An error in the limits must not keep requests from being answered.
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
        await self._trips.go([gate.limit.key for gate in gates], [gate.ask(time.monotonic()) for gate in gates])
