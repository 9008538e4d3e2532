"""Sums of usage as JSON for the API."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from tenants.api_keys.models import ApiKey
from tenants.billing.usage.sums import Row, Sum, end_of
from tenants.billing.usage.usage_query import UsageQuery
from tenants.plans.prices import display


def row_json(row: Row, asked: UsageQuery, keys: dict[str, dict[str, str]]) -> dict[str, object]:
    told: dict[str, object] = {"object": "usage", "from": moment(row.at), "to": moment(end_of(row.at, asked))}
    for group, text in row.of.items():
        if group == "key":
            told["key"] = keys.get(text, {"id": text}) if text else None
        else:
            told[group] = text == "true" if group in ("livemode", "cached") else text
    return {**told, **sum_json(row.sum)}


def sum_json(total: Sum) -> dict[str, object]:
    return {
        "quantities": total.quantities,
        "amounts": [
            {
                "currency": one.currency,
                "amount_micros": one.amount_micros,
                "amount": display(one.amount_micros),
                "saved_micros": one.saved_micros,
                "saved": display(one.saved_micros),
            }
            for one in total.amounts
        ],
        "records": total.records,
        "records_cached": total.records_cached,
    }


def keys_of(rows: Sequence[Row]) -> dict[str, dict[str, str]]:
    """Return the public data of the keys in these rows, by id. Call it inside a unit of work."""
    ids = {UUID(row.of["key"]) for row in rows if row.of.get("key")}
    if not ids:
        return {}
    found = ApiKey.objects.filter(id__in=ids).only("id", "name", "public_id", "livemode")
    return {str(key.id): {"id": str(key.id), "name": key.name, "prefix": key.prefix} for key in found}


def moment(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
