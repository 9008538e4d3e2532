"""Writes to usage, of uses that were in the stream."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.db import connections, transaction

from tenants.billing.included.allotting import Work
from tenants.billing.ledger.journal import Source
from tenants.billing.ledger.reserving.committing import Charge, Charging
from tenants.billing.ledger.services import lock_wallets, settle
from tenants.billing.ledger.standing import budget_keys
from tenants.billing.prices import Price
from tenants.context import APP, unit_of_work
from tenants.ids import uuid7
from tenants.metering.events import MeterEvent

# The row's key is the use's own, which is ordered by time: what is counted late stands where it happened. Of uses
# that are alike, only what differs is sent for each: to write rows one by one costs five times the processor time.
_RECORD = """
WITH recorded AS (
INSERT INTO tenants_usagerecord (id, tenant_id, source_kind, source_id, meter, model, version,
                                 quantity, price, amount_micros, currency, livemode, key_id, cached, saved_micros,
                                 created_at)
SELECT use.id, %(tenant)s, %(source_kind)s, use.id, %(meter)s, %(model)s, %(version)s,
       use.quantity, %(price)s::jsonb, use.amount_micros, %(currency)s, %(livemode)s,
       nullif(%(key_id)s, '')::uuid, %(cached)s, use.saved_micros,
       timestamptz 'epoch' + use.at_ms * interval '1 millisecond'
FROM unnest(%(ids)s::uuid[], %(quantities)s::bigint[], %(amounts)s::bigint[], %(saved)s::bigint[], %(at_ms)s::bigint[])
     AS use (id, quantity, amount_micros, saved_micros, at_ms)
ORDER BY use.id
ON CONFLICT DO NOTHING
RETURNING quantity, amount_micros
)
SELECT coalesce(sum(quantity), 0)::bigint, coalesce(sum(amount_micros), 0)::bigint FROM recorded
"""
_DAY_MS = 86_400_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _Alike(NamedTuple):
    """What the uses of one statement have in common.

    In the order of what comes first, two who record the same uses never wait for each other in a circle: neither for
    the records, nor for the sums by day.
    """

    day: int
    model: str
    meter: str
    currency: str
    livemode: bool
    key_id: str
    """Empty for none: it is sorted by."""
    cached: bool
    version: int
    source_kind: str
    price_micros: int
    price_per: int

    def work(self, price: Price, quantity: int, amount_micros: int) -> Work:
        month = (_EPOCH + timedelta(days=self.day)).date().replace(day=1)
        return Work(self.model, self.cached, price, quantity, amount_micros, month)


class _Charged(NamedTuple):
    """What is charged together."""

    currency: str
    day: int
    source_kind: str
    key: str

    @classmethod
    def of(cls, common: _Alike) -> "_Charged":
        return cls(common.currency, common.day, common.source_kind, common.key_id)

    def source(self, tenant_id: UUID) -> Source:
        day = (_EPOCH + timedelta(days=self.day)).date()
        key_id = UUID(self.key) if self.key else None
        return Source(tenant_id, self.source_kind, uuid7(), self.currency, key_id, day)


def record_events(*, tenant_id: UUID, events: Sequence[MeterEvent]) -> None:
    """All or none, in one transaction, and with them the charge; those that are recorded already are left as they are.

    One charge for each day, currency, key and kind: the ledger would otherwise have rows by the million for calls that
    cost a thousandth each.
    """
    if not events:
        return
    charging = Charging(tenant_id)
    try:
        with unit_of_work(tenant_id):
            _record(tenant_id, events)
            charges = _charges(events) if charging.keeps else ()
            transaction.on_commit(lambda: charging.end(charges), using=APP)
    except BaseException:
        charging.end()
        raise


def _record(tenant_id: UUID, events: Sequence[MeterEvent]) -> None:
    alike: dict[_Alike, list[MeterEvent]] = defaultdict(list)
    done: dict[_Charged, list[Work]] = defaultdict(list)
    for event in events:
        alike[_what_is_alike(event)].append(event)
    with connections[APP].cursor() as cursor:
        for common, uses in sorted(alike.items(), key=lambda item: item[0]):
            price = json.dumps(uses[0].price.to_json())
            each = {
                "ids": _array(use.id.hex for use in uses),
                "quantities": _array(use.quantity for use in uses),
                "amounts": _array(use.amount_micros for use in uses),
                "saved": _array(use.saved_micros for use in uses),
                "at_ms": _array(use.at_ms for use in uses),
            }
            cursor.execute(_RECORD, {"tenant": tenant_id, **common._asdict(), "price": price, **each})
            done[_Charged.of(common)].append(common.work(uses[0].price, *cursor.fetchone()))
        costly = [charged for charged, works in done.items() if any(work.amount_micros for work in works)]
        lock_wallets(tenant_id, (charged.currency for charged in costly))
        # Wallets in one order everywhere: by currency.
        for charged, works in sorted(done.items(), key=lambda item: item[0]):
            _settle(charged.source(tenant_id), works)


def _settle(source: Source, works: Sequence[Work]) -> None:
    cost_micros = sum(work.amount_micros for work in works)
    settle(source, held_micros=None, cost_micros=cost_micros, works=lambda: works)


def _charges(events: Sequence[MeterEvent]) -> Sequence[Charge]:
    """What was set aside for a use has its id."""
    live = [use for use in events if use.livemode]
    whose = budget_keys(use.key_id for use in live if use.key_id)
    return [
        Charge(use.id, use.price.currency, use.key_id and whose[use.key_id], use.amount_micros)
        for use in live
    ]


def _what_is_alike(event: MeterEvent) -> _Alike:
    return _Alike(
        day=event.at_ms // _DAY_MS,
        model=event.model,
        meter=event.price.meter,
        currency=event.price.currency,
        livemode=event.livemode,
        key_id=event.key_id.hex if event.key_id else "",
        cached=event.cached,
        version=event.version,
        source_kind=event.source_kind,
        price_micros=event.price.amount_micros,
        price_per=event.price.per,
    )


def _array(values: Iterable[str | int]) -> str:
    """As Postgres writes an array; element by element the driver takes much longer."""
    return "{" + ",".join(map(str, values)) + "}"
