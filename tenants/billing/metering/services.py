"""Writes usage records from events of the stream."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.db import connections, transaction

from tenants.billing.ledger.committing import Charge, Charging
from tenants.billing.ledger.included_units import Work
from tenants.billing.ledger.posting import Source
from tenants.billing.ledger.selectors import budget_keys
from tenants.billing.ledger.services import lock_wallets, settle
from tenants.billing.metering.events import MeterEvent
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.ids import uuid7
from tenants.plans.prices import EVERY_MODEL, Price

# The row's key is the event's own id, which is ordered by time, so an event that is counted late is sorted by when it
# happened. Events that are alike are sent together, each with only the values that differ, because writing rows one by
# one costs five times the processor time.
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
# The same statement, which also sums the included units set aside for the new events, from two pools.
_SUMS = ", ".join(f"coalesce(sum({name}), 0)::bigint" for name in ("own", "own_micros", "of_all", "of_all_micros"))
_RECORD_COVERED = _RECORD.replace(
    "RETURNING quantity, amount_micros\n", "RETURNING id, quantity, amount_micros\n"
).replace(
    "FROM recorded\n",
    f""", {_SUMS}
FROM recorded
JOIN unnest(%(ids)s::uuid[], %(own)s::bigint[], %(own_micros)s::bigint[], %(of_all)s::bigint[],
            %(of_all_micros)s::bigint[]) AS one (id, own, own_micros, of_all, of_all_micros) USING (id)
""",
)
_DAY_MS = 86_400_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _Alike(NamedTuple):
    """The values that the events of one statement have in common.

    The fields are also the sort order. Because of this order, two transactions that record the same events never
    deadlock, neither on the records nor on the sums by day.
    """

    day: int
    model: str
    meter: str
    currency: str
    livemode: bool
    key_id: str
    """The key's id. It is empty for no key, because tuples are sorted by it."""
    cached: bool
    version: int
    source_kind: str
    price_micros: int
    price_per: int

    def works(self, price: Price, recorded: "_Recorded") -> list[Work]:
        month = (_EPOCH + timedelta(days=self.day)).date().replace(day=1)
        what = (self.model, self.cached, price)
        rest = (
            recorded.quantity - recorded.own - recorded.of_all,
            recorded.amount_micros - recorded.own_micros - recorded.of_all_micros,
        )
        return [
            Work(*what, recorded.own, recorded.own_micros, month, pool=self.model),
            Work(*what, recorded.of_all, recorded.of_all_micros, month, pool=EVERY_MODEL),
            Work(*what, *rest, month),
        ]


class _Recorded(NamedTuple):
    """The sums of those events of one statement that were new, and of the included units set aside for them."""

    quantity: int
    amount_micros: int
    own: int = 0
    own_micros: int = 0
    of_all: int = 0
    of_all_micros: int = 0


class _Charged(NamedTuple):
    """The values that events in the same charge share."""

    currency: str
    day: int
    source_kind: str
    key: str


def record_events(*, tenant_id: UUID, events: Sequence[MeterEvent]) -> None:
    """Record and charge all events in one transaction, or none. Events that are already recorded are left unchanged.

    There is one charge for each day, currency, key and kind. Otherwise the ledger would get millions of rows for calls
    that cost a thousandth of a cent each.
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
    for event in {event.id: event for event in events}.values():
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
            statement = _RECORD
            if any(use.covered or use.covered_of_all for use in uses):
                statement = _RECORD_COVERED
                own_micros = [use.amount_micros * use.covered // max(1, use.quantity) for use in uses]
                each["own"] = _array(use.covered for use in uses)
                each["own_micros"] = _array(own_micros)
                each["of_all"] = _array(use.covered_of_all for use in uses)
                each["of_all_micros"] = _array(
                    use.covered_micros - own for use, own in zip(uses, own_micros, strict=True)
                )
            cursor.execute(statement, {"tenant": tenant_id, **common._asdict(), "price": price, **each})
            charged = _Charged(common.currency, common.day, common.source_kind, common.key_id)
            done[charged] += common.works(uses[0].price, _Recorded(*cursor.fetchone()))
        costly = [charged for charged, works in done.items() if any(work.amount_micros for work in works)]
        lock_wallets(tenant_id, (charged.currency for charged in costly))
        # Wallets are locked in the same order everywhere: by currency.
        for charged, works in sorted(done.items(), key=lambda item: item[0]):
            _settle(tenant_id, charged, works)


def _settle(tenant_id: UUID, charged: _Charged, works: Sequence[Work]) -> None:
    day, key_id = _EPOCH + timedelta(days=charged.day), UUID(charged.key) if charged.key else None
    source = Source(tenant_id, charged.source_kind, uuid7(), charged.currency, key_id, day.date())
    cost_micros = sum(work.amount_micros for work in works)
    settle(source, held_micros=None, cost_micros=cost_micros, works=lambda: works)


def _charges(events: Sequence[MeterEvent]) -> Sequence[Charge]:
    """Return the charges of the live events. The amount held for an event has the event's id."""
    live = [use for use in events if use.livemode]
    whose = budget_keys(use.key_id for use in live if use.key_id)
    return [Charge(use.id, use.price.currency, use.key_id and whose[use.key_id], use.to_pay_micros) for use in live]


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
    """Return the values as a Postgres array literal. The driver takes much longer to convert them one by one."""
    return "{" + ",".join(map(str, values)) + "}"
