"""Remember for a moment how often the results of each tenant have been erased."""

from uuid import UUID

from tenants.authentication.selectors import results_generation
from tenants.core.asgi.remembered import Remembered
from tenants.core.asgi.threads import DatabaseThreads

LIFETIME_S = 0.8
"""The lifetime of a remembered generation, which ensures that erased results are no longer used a second later."""
CAPACITY = 10_000


class Generations:
    def __init__(self, threads: DatabaseThreads) -> None:
        self._threads = threads
        self._known: Remembered[UUID, int] = Remembered(lifetime_s=LIFETIME_S, capacity=CAPACITY)

    async def of(self, tenant_id: UUID) -> int:
        known = self._known.peek(tenant_id)
        if known is not None:
            return known
        return await self._known.get(tenant_id, lambda: self._threads.run(results_generation, tenant_id))

    def is_over(self, tenant_id: UUID, generation: int) -> bool:
        """Return whether this generation is known to be over, as far as this process knows at the moment. Its results
        need not be cached.
        """
        known = self._known.peek(tenant_id)
        return known is not None and known != generation
