"""Compares our payments with the provider's own list, in both directions. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from tenants.billing.ledger.checks import Compared
from tenants.billing.payments.provider.protocol import Standing

COMPARED = "provider"


@dataclass(frozen=True, slots=True)
class Ours:
    """The amount that we recorded as received, and the amount that we recorded as refunded."""

    tenant_id: UUID
    currency: str
    came_micros: int
    back_micros: int


def against_provider(
    ours: Mapping[UUID, Ours], theirs: Iterable[Standing], *, tenants: Mapping[UUID, UUID]
) -> Iterator[Compared]:
    """Yield the differences. `expected` is what is left according to the provider. `tenants` are by payment id.

    A payment without a tenant of ours belongs to another installation that uses the same provider account.
    """
    seen = set()
    for their in theirs:
        if their.payment_id is None:
            continue
        seen.add(their.payment_id)
        tenant_id = tenants.get(their.payment_id)
        if tenant_id is None:
            continue
        our = ours.get(their.payment_id)
        left = their.amount_micros - their.refunded_micros
        found = our.came_micros - our.back_micros if our and our.currency == their.currency else 0
        if found != left:
            yield Compared(tenant_id, COMPARED, their.currency, str(their.payment_id), left, found)
    for payment_id, our in ours.items():
        if payment_id not in seen and our.came_micros:
            left = our.came_micros - our.back_micros
            yield Compared(our.tenant_id, COMPARED, our.currency, str(payment_id), 0, left)
