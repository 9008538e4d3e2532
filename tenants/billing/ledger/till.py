"""Whether a caller's next call can be paid, by what this process knows: a moment old, less what it has used since."""

from uuid import UUID

import structlog

from tenants.asgi.remembered import Remembered
from tenants.asgi.threads import DatabaseThreads, Overloaded
from tenants.billing.ledger.standing import Standing, standing_of
from tenants.billing.prices import Price
from tenants.context import unit_of_work
from tenants.errors import DatabaseAway
from tenants.identity import Identity

log = structlog.get_logger(__name__)
LIFETIME_S = 0.8
CAPACITY = 10_000


class Till:
    """One for each event loop."""

    def __init__(self, threads: DatabaseThreads) -> None:
        self._threads = threads
        self._known: Remembered[tuple[UUID, UUID | None], Standing] = Remembered(
            lifetime_s=LIFETIME_S, capacity=CAPACITY
        )

    async def require(self, identity: Identity, price: Price) -> None:
        """Raises InsufficientFunds. A database that cannot be asked now refuses nobody."""
        if not identity.livemode or not price.amount_micros:
            return
        asked = (identity.tenant_id, identity.key_id)
        standing = self._known.peek(asked)
        if standing is None:
            try:
                standing = await self._known.get(asked, lambda: self._threads.run(_look, *asked))
            except (DatabaseAway, Overloaded) as error:
                log.info("balance_not_known", tenant_id=str(identity.tenant_id), error=error.detail)
                return
        standing.require(price)

    def spend(self, identity: Identity, currency: str, amount_micros: int) -> None:
        """It comes off what this process believes is left, until it looks again."""
        standing = self._known.peek((identity.tenant_id, identity.key_id))
        if standing is not None:
            standing.spend(currency, amount_micros)


def _look(tenant_id: UUID, key_id: UUID | None) -> Standing:
    with unit_of_work(tenant_id):
        return standing_of(tenant_id, key_id)
