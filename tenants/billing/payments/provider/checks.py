"""Our payments held against the provider's own list, both ways: pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from tenants.billing.ledger.checks import Compared
from tenants.billing.payments.provider.protocol import Standing

COMPARED = "provider"


@dataclass(frozen=True, slots=True)
class Ours:
    """What we have as come in, less what we have as given back."""

    tenant_id: UUID
    currency: str
    came_micros: int
    back_micros: int


def against_provider(
    ours: Mapping[UUID, Ours], theirs: Iterable[Standing], *, tenants: Mapping[UUID, UUID]
) -> Iterator[Compared]:
    """`expected` is what the provider says is left of it. `tenants` are those that exist, by the payments' ids.

    What the provider knows of no tenant of ours belongs to another installation on the same account.
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
