"""Connects the reservations in Redis with the ledger. An amount that is committed in Postgres is released in Redis.

A job's hold is reserved like a call, just before it is committed and while the wallet's row is locked. At every moment
it is therefore counted in Postgres or in Redis, so no call can get money that a job has just been given. While Redis is
unavailable, calls in progress are not seen.
"""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

import redis
import structlog
from django.conf import settings
from django.db import transaction
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from tenants.billing.ledger.errors import insufficient_funds
from tenants.billing.ledger.headroom import Verdict, words_of
from tenants.billing.ledger.posting import Source
from tenants.billing.ledger.reserve_script import (
    CHARGING,
    HOLD_S,
    RESERVE,
    TAKE,
    TEXT,
    Words,
    charged_words,
    script_command,
)
from tenants.billing.ledger.selectors import budget_key, rooms_of
from tenants.core.db.unit_of_work import current_alias
from tenants.core.ids import uuid7

log = structlog.get_logger(__name__)
TIMEOUT_S = 0.25
"""The timeout in seconds of a request to Redis, during which a wallet's row is locked."""
LEFT_ALONE_S = 1.0
TRIES = 10
PAUSE_S = 0.01
IDS_AT_ONCE = 500
_NOTHING_KEPT = 0


@dataclass(frozen=True, slots=True)
class Charge:
    """A charge. `reservation_id` names the reservation for it, if there was one."""

    reservation_id: UUID
    currency: str
    key_id: UUID | None
    """The key whose budgets the charge counts against."""
    amount_micros: int


class Charging:
    """Usage that is being written to the ledger. Meanwhile no call is refused because of an outdated read."""

    def __init__(self, tenant_id: UUID) -> None:
        self._tenant_id = tenant_id
        self._token = uuid7().hex
        # If Redis keeps nothing for the tenant, nothing was reserved lately, so nothing can be counted twice.
        self.keeps = _door().say(tenant_id, [CHARGING, self._token]) != _NOTHING_KEPT

    def end(self, charges: Sequence[Charge] = ()) -> None:
        """Report the charges after the commit, or report none if nothing was charged."""
        if not self.keeps:
            return
        for start in range(0, len(charges), IDS_AT_ONCE):
            self._say("", charges[start : start + IDS_AT_ONCE])
        self._say(self._token, ())

    def _say(self, token: str, charges: Sequence[Charge]) -> None:
        arguments = charged_words(token, _sums(charges), [charge.reservation_id.hex for charge in charges])
        if _door().say(self._tenant_id, arguments, surely=True) is None and charges:
            log.warning("reservations_not_released", tenant_id=str(self._tenant_id), count=len(charges))


def reserve_hold(source: Source, amount_micros: int) -> None:
    """Reserve a posted hold. Raise if the money does not suffice for the hold and the calls in progress."""
    rooms = rooms_of(source.tenant_id, source.key_id, source.currency).with_back(amount_micros)
    if not rooms.bounded:
        return
    whose = budget_key(source.key_id)
    key, token = whose.hex if whose else "", source.id.hex
    arguments: Words = [RESERVE, token, source.currency, key, amount_micros, HOLD_S]
    verdict, left = _reserved(source.tenant_id, [*arguments, *words_of(rooms, None), token, 0])
    if verdict is Verdict.NO:
        raise insufficient_funds(currency=source.currency, needed_micros=amount_micros, spendable_micros=left)
    done = charged_words(token, [(source.currency, key, amount_micros)], [token])
    _say_on_commit(source.tenant_id, done)


@dataclass(frozen=True, slots=True)
class PoolWanted:
    name: str
    left: int
    """The units left according to Postgres."""
    quantity: int


class TakenUnits:
    """Units of pools that no call in progress has, and that no call is given from now on."""

    def __init__(self, tenant_id: UUID, wanted: Sequence[PoolWanted], *, anyhow: bool) -> None:
        """Take the units. With `anyhow`, take too few rather than wait for charges made a moment ago."""
        self._tenant_id = tenant_id
        self._token = uuid7().hex
        self._pools = {pool.name: uuid7().hex for pool in wanted}
        self.granted = self._take(wanted, anyhow=anyhow) if wanted else {}

    def use(self, quantities: Mapping[str, int]) -> None:
        """Report the used units after the commit. The other units become free again."""
        charges = [(name, "", quantity) for name, quantity in quantities.items() if quantity]
        if charges or self._pools:
            arguments = charged_words(self._token, charges, list(self._pools.values()))
            _say_on_commit(self._tenant_id, arguments)

    def give_back(self) -> None:
        """Release the units at once, because nothing will be committed."""
        if self._pools:
            arguments = charged_words(self._token, (), list(self._pools.values()))
            _door().say(self._tenant_id, arguments, surely=True)

    def _take(self, wanted: Sequence[PoolWanted], *, anyhow: bool) -> dict[str, int]:
        for tried in range(1, TRIES + 1):
            arguments: Words = [TAKE, HOLD_S, self._token, "1" if anyhow or tried == TRIES else ""]
            for pool in wanted:
                arguments += [self._pools[pool.name], pool.name, pool.left, pool.quantity]
            answer = _door().say(self._tenant_id, arguments)
            if answer is None:
                return {pool.name: pool.quantity for pool in wanted}
            if Verdict(int(answer[0])) is not Verdict.UNSURE:
                break
            time.sleep(PAUSE_S)
        return {pool.name: int(part) for pool, part in zip(wanted, answer[1:], strict=True)}


def _reserved(tenant_id: UUID, arguments: Words) -> tuple[Verdict, int]:
    """Try again while the verdict is unsure: committed charges are reported soon, others wait for the locked row."""
    for _ in range(TRIES):
        answer = _door().say(tenant_id, arguments)
        if answer is None:
            return Verdict.YES, 0
        if (verdict := Verdict(int(answer[0]))) is not Verdict.UNSURE:
            return verdict, int(answer[1])
        time.sleep(PAUSE_S)
    return Verdict.NO, int(answer[1])


class _Door:
    def __init__(self, url: str) -> None:
        # Every request to the script may be executed twice, so a retry is safe.
        client = redis.Redis.from_url(
            url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S, retry=Retry(NoBackoff(), 1)
        )
        self._script = client.register_script(TEXT)
        self._away_until_s = float("-inf")

    def say(self, tenant_id: UUID, arguments: Words, *, surely: bool = False) -> Any:
        """Return the response, or None if Redis does not answer. With `surely`, try even right after an outage."""
        if not surely and time.monotonic() < self._away_until_s:
            return None
        about = script_command(tenant_id, *arguments)
        try:
            return self._script([about.key], [about.text])[0]
        except (RedisError, OSError) as error:
            log.info("reservations_command_failed", tenant_id=str(tenant_id), error=str(error))
            self._away_until_s = time.monotonic() + LEFT_ALONE_S
            return None


@cache
def _door() -> _Door:
    """Return the connection of this process."""
    return _Door(settings.MAAS_REDIS_URL)


def _say_on_commit(tenant_id: UUID, arguments: Words) -> None:
    transaction.on_commit(lambda: _door().say(tenant_id, arguments, surely=True), using=current_alias())


def _sums(charges: Sequence[Charge]) -> list[tuple[str, str, int]]:
    """Return the sums of the charges by currency and key."""
    sums: dict[tuple[str, UUID | None], int] = defaultdict(int)
    for charge in charges:
        sums[charge.currency, charge.key_id] += charge.amount_micros
    return [(currency, key_id.hex if key_id else "", micros) for (currency, key_id), micros in sums.items()]
