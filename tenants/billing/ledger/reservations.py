"""Reservations of calls, made from an event loop: many callers share one round trip to Redis over one connection."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import redis.asyncio
import structlog
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

from tenants.billing.ledger.headroom import NO_UNITS, Gone, Headrooms, Units, Verdict, words_of
from tenants.billing.ledger.reserve_script import (
    RESERVE,
    RESERVED_S,
    SEEN,
    SETTLE,
    SETTLED_S,
    SHA,
    TEXT,
    Reply,
    Words,
    script_command,
    spoken,
)

log = structlog.get_logger(__name__)
TIMEOUT_S = 1.0
LEFT_ALONE_S = 0.5
"""Seconds for which Redis is not tried again after it did not answer."""
MAX_AT_ONCE = 500
MAX_WAITING = 20_000


class ReservationsUnavailable(Exception):
    """The error for unknown reservations. The requested action may have been done all the same."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """A reservation. If its `id` is reserved again, as by a batch line that runs again, it exists once."""

    id: UUID
    tenant_id: UUID
    key_id: UUID | None
    currency: str
    amount_micros: int
    wants: Units = NO_UNITS
    units: tuple[int, ...] = ()
    """The included units that it has from each pool, which cost nothing."""

    @property
    def key(self) -> str:
        return self.key_id.hex if self.key_id else ""


@dataclass(frozen=True, slots=True)
class Reserved:
    verdict: Verdict
    left_micros: int
    needed_micros: int = 0
    """The amount needed beyond the included units."""
    units: tuple[int, ...] = ()
    """The included units from each pool."""


@dataclass(frozen=True, slots=True)
class _Reservation:
    command: Reply
    answer: "asyncio.Future[Any] | None"
    """The future for the response. None if nothing waits for it."""

    def end(self, answer: object) -> None:
        if self.answer is None or self.answer.done():
            return
        if isinstance(answer, BaseException):
            self.answer.set_exception(ReservationsUnavailable(str(answer)))
        else:
            self.answer.set_result(answer)


class Reservations:
    """The reservations of one event loop. A separate task makes the round trips, so a caller may leave."""

    def __init__(self, url: str) -> None:
        # Single reads have no time limit, because one limit for the whole round trip is cheaper.
        pool: redis.asyncio.ConnectionPool = redis.asyncio.ConnectionPool.from_url(
            url, socket_timeout=None, socket_connect_timeout=TIMEOUT_S, retry=Retry(NoBackoff(), 0)
        )
        self._connection = pool.make_connection()  # type: ignore[no-untyped-call]
        self._waiting: list[_Reservation] = []
        self._writer: asyncio.Task[None] | None = None
        self._away = False
        self._away_until_s = float("-inf")

    async def seen(self, tenant_id: UUID, key_id: UUID | None, currency: str, pools: Sequence[str] = ()) -> Gone:
        """Return the charges counted so far. Call it before Postgres is read. Raises ReservationsUnavailable."""
        command = script_command(tenant_id, SEEN, currency, key_id.hex if key_id else "", *pools)
        tenant, key, *units = map(int, await self._ask(command))
        return Gone(tenant, key, tuple(units))

    async def reserve(
        self, wanted: Reservation, rooms: Headrooms, gone: Gone, units_left: Sequence[int] = ()
    ) -> Reserved:
        """Try to reserve. `units_left` holds the units left in each of its pools."""
        arguments = (wanted.id.hex, wanted.currency, wanted.key, wanted.amount_micros, RESERVED_S)
        pools = zip(wanted.wants.pools, units_left, gone.units, strict=False)
        command = script_command(
            wanted.tenant_id,
            RESERVE,
            *arguments,
            *words_of(rooms, gone),
            "",
            wanted.wants.most,
            *(word for pool in pools for word in pool),
        )
        verdict, left, needed, *units = map(int, await self._ask(command))
        return Reserved(Verdict(verdict), left, needed, tuple(units))

    def settle(self, reserved: Reservation, cost_micros: int, units: Sequence[int] = ()) -> None:
        """Report the actual cost, or 0 if there is none. The response is not awaited."""
        command = script_command(reserved.tenant_id, SETTLE, reserved.id.hex, cost_micros, SETTLED_S, *units)
        if not self._is_away and len(self._waiting) < MAX_WAITING:
            self._set_out(_Reservation(command, None))

    async def close(self) -> None:
        if self._writer is not None:
            await asyncio.wait([self._writer])
        await self._connection.disconnect(nowait=True)

    @property
    def _is_away(self) -> bool:
        return asyncio.get_running_loop().time() < self._away_until_s

    async def _ask(self, about: Reply) -> Any:
        if self._is_away or len(self._waiting) >= MAX_WAITING:
            raise ReservationsUnavailable("Redis did not answer a moment ago")
        request = _Reservation(about, asyncio.get_running_loop().create_future())
        self._set_out(request)
        assert request.answer is not None
        return await request.answer

    def _set_out(self, request: _Reservation) -> None:
        self._waiting.append(request)
        if self._writer is None:
            self._writer = asyncio.get_running_loop().create_task(self._go_on())

    async def _go_on(self) -> None:
        try:
            while self._waiting:
                together, self._waiting = self._waiting[:MAX_AT_ONCE], self._waiting[MAX_AT_ONCE:]
                await self._go(together)
        finally:
            self._writer = None
            left, self._waiting = self._waiting, []
            _end(left, [asyncio.CancelledError()] * len(left))

    async def _go(self, together: Sequence[_Reservation]) -> None:
        answers: Sequence[object] = [asyncio.CancelledError()] * len(together)
        error = None
        try:
            async with asyncio.timeout(TIMEOUT_S):
                answers = await self._say_twice(spoken([request.command for request in together]))
        except (RedisError, OSError) as failure:
            error, answers = failure, [failure] * len(together)
        finally:
            _end(together, answers)
        self._tell(error)

    async def _say_twice(self, arguments: Words) -> Sequence[object]:
        """Send the request, and send it again only if the connection broke. Every request may be executed twice."""
        try:
            return await self._say(arguments)
        except (redis.ConnectionError, OSError):
            return await self._say(arguments)

    async def _say(self, arguments: Words) -> Sequence[object]:
        whole = False
        try:
            try:
                answers = await self._heard("EVALSHA", SHA, *arguments)
            except NoScriptError:
                answers = await self._heard("EVAL", TEXT, *arguments)
            whole = True
        finally:
            if not whole:
                # A response that was not read must not be mistaken for the response to the next request.
                await self._connection.disconnect(nowait=True)
        return answers

    async def _heard(self, *spoken: str | int) -> Sequence[object]:
        await self._connection.send_command(*spoken)
        answers: Sequence[object] = await self._connection.read_response()
        return answers

    def _tell(self, error: Exception | None) -> None:
        """Log an outage of Redis once each time it begins."""
        if error is not None:
            self._away_until_s = asyncio.get_running_loop().time() + LEFT_ALONE_S
            if not self._away:
                log.warning("reservations_unavailable", error=str(error) or type(error).__name__)
        self._away = error is not None


def _end(requests: Sequence[_Reservation], answers: Sequence[object]) -> None:
    for request, answer in zip(requests, answers, strict=True):
        request.end(answer)
