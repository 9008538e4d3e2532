"""Writes to usage; money follows in its own tables."""

from uuid import UUID

from tenants.billing.models import UsageRecord
from tenants.billing.prices import Price


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
) -> None:
    """Call inside the transaction that writes the result. A second record for the same source is refused."""
    UsageRecord.objects.create(
        tenant_id=tenant_id,
        source_kind=source_kind,
        source_id=source_id,
        meter=price.meter,
        model=model,
        version=version,
        quantity=quantity,
        price=price.to_json(),
        amount_micros=amount_micros,
        currency=price.currency,
        livemode=livemode,
    )
