"""Writes usage records. Money is kept in tables of its own."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connections

from tenants.core.db.unit_of_work import current_alias
from tenants.core.ids import uuid7
from tenants.plans.prices import Price

_RECORD_MANY = """
INSERT INTO tenants_usagerecord (id, tenant_id, source_kind, source_id, meter, model, version,
                                 quantity, price, amount_micros, currency, livemode, key_id, cached, saved_micros,
                                 created_at)
SELECT use.id, %(tenant)s, %(source_kind)s, use.source_id, %(meter)s, %(model)s, %(version)s,
       use.quantity, %(price)s::jsonb, use.amount_micros, %(currency)s, %(livemode)s, %(key_id)s, %(cached)s,
       use.saved_micros, statement_timestamp()
FROM unnest(%(ids)s::uuid[], %(sources)s::uuid[], %(quantities)s::bigint[], %(amounts)s::bigint[], %(saved)s::bigint[])
     AS use (id, source_id, quantity, amount_micros, saved_micros)
"""


@dataclass(frozen=True, slots=True)
class Use:
    source_id: UUID
    quantity: int
    amount_micros: int
    saved_micros: int = 0


def record_usage(
    *,
    tenant_id: UUID,
    source_kind: str,
    source_id: UUID,
    model: str,
    version: int,
    quantity: int,
    price: Price,
    amount_micros: int,
    livemode: bool,
    key_id: UUID | None = None,
    cached: bool = False,
    saved_micros: int = 0,
) -> None:
    """Write a record. Call it inside the transaction that writes the result. A second record for the same source is
    refused.

    `key_id` is the key that requested the work, or None for a person. `saved_micros` is the cost of a run minus the
    cost of the `cached` result.
    """
    record_uses(
        tenant_id=tenant_id,
        source_kind=source_kind,
        model=model,
        version=version,
        price=price,
        livemode=livemode,
        uses=[Use(source_id, quantity, amount_micros, saved_micros)],
        key_id=key_id,
        cached=cached,
    )


def record_uses(
    *,
    tenant_id: UUID,
    source_kind: str,
    model: str,
    version: int,
    price: Price,
    livemode: bool,
    uses: Sequence[Use],
    key_id: UUID | None = None,
    cached: bool = False,
) -> None:
    """Write the records of many similar sources in one statement. Otherwise the same as `record_usage`."""
    values: dict[str, Any] = {
        "tenant": tenant_id,
        "source_kind": source_kind,
        "meter": price.meter,
        "model": model,
        "version": version,
        "price": json.dumps(price.to_json()),
        "currency": price.currency,
        "livemode": livemode,
        "key_id": key_id,
        "cached": cached,
        "ids": [uuid7() for _ in uses],
        "sources": [use.source_id for use in uses],
        "quantities": [use.quantity for use in uses],
        "amounts": [use.amount_micros for use in uses],
        "saved": [use.saved_micros for use in uses],
    }
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_RECORD_MANY, values)
