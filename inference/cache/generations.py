"""Remember how often the results of each tenant have been erased."""

from collections.abc import Sequence
from uuid import UUID

from tenants.authentication.selectors import results_generation
from tenants.core.asgi.remembered import Remembered
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.changes.feed import ChangeFeed
from tenants.core.changes.log import Change

LIFETIME_S = 0.8
"""The lifetime of a remembered generation while changes cannot be read. Erased results are not used a second later."""
CAPACITY = 20_000


class Generations:
    def __init__(self, threads: DatabaseThreads, feed: ChangeFeed | None = None) -> None:
        self._threads = threads
        self._known: Remembered[UUID, int] = Remembered(lifetime_s=LIFETIME_S, capacity=CAPACITY, feed=feed)
        if feed is not None:
            feed.listen(self._forget)

    def _forget(self, changes: Sequence[Change]) -> None:
        tenants = {change.ref for change in changes if change.kind == "tenant"}
        if tenants:
            self._known.forget_where(lambda tenant_id, _: str(tenant_id) in tenants)

    async def of(self, tenant_id: UUID) -> int:
        known = self._known.peek(tenant_id)
        if known is not None:
            return known
        return await self._known.get(tenant_id, lambda: self._threads.run(results_generation, tenant_id))

    def known(self, tenant_id: UUID) -> int | None:
        """Return the generation if it is remembered."""
        return self._known.peek(tenant_id)

    def is_over(self, tenant_id: UUID, generation: int) -> bool:
        """Return whether this generation is known to be over, as far as this process knows at the moment. Its results
        need not be cached.
        """
        known = self._known.peek(tenant_id)
        return known is not None and known != generation
