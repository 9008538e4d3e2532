"""Run the calls of a batch, for which no client waits, with the same handlers as the calls for which a client waits."""

import asyncio
from dataclasses import replace
from uuid import UUID

from inference.gateway.exchange import CHUNK_BYTES, Exchange
from inference.gateway.room import Share
from inference.gateway.targets import Target, Targets
from tenants.api.authentication import IDENTITY
from tenants.billing.ledger.call_holds import CallHolds
from tenants.core.asgi.protocol import REQUEST_ID, Message, Scope
from tenants.core.asgi.stopping import Stop
from tenants.identity.identity import Identity
from tenants.plans.agreed import AgreedPrice
from tenants.plans.prices import Price

APART = ":bulk"


class BulkExchange(Exchange):
    """An exchange for one row of a batch.

    The RPC client and the batcher treat a tenant's bulk work as another tenant, so it shares fairly with that tenant's
    own interactive calls as well.
    """

    def __init__(
        self,
        *,
        path: str,
        body: bytes,
        identity: Identity,
        request_id: str,
        stop: Stop,
        share: Share,
        call_holds: CallHolds | None = None,
    ) -> None:
        scope: Scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "path": path,
            "query_string": b"",
            "headers": [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))],
            IDENTITY: identity,
            REQUEST_ID: request_id,
        }
        super().__init__(scope, _never, stop, share, call_holds)
        self._body = body
        self._name = UUID(hex=request_id)

    async def body(self) -> bytes:
        self.hold(len(self._body) + CHUNK_BYTES)
        return self._body

    def price_of(self, model: str, price: Price, cached_price: Price) -> AgreedPrice:
        """Return the prices that were agreed when the batch was accepted. They come with the pinned target."""
        return AgreedPrice(price, cached_price)

    async def enter_free_day(self, inputs: int) -> None:
        """Count nothing: the whole batch was counted before its first row was begun."""

    def reservation_id(self) -> UUID:
        """Return the row's own id, which is also the id of its first use. A row that is run again therefore reserves
        only once.
        """
        return self._name

    @property
    def turn(self) -> str:
        return f"{self.identity.tenant_id}{APART}"


class PinnedTargets(Targets):
    """A view of the targets that always finds one model version at its agreed prices, whichever version has become
    current since. If the version is paused or resumed, that applies here too.
    """

    def __init__(self, targets: Targets, key: str, price: Price, cached_price: Price | None) -> None:
        """Take the agreed prices. If `cached_price` is None, cache hits cost the price of the moment."""
        self._targets = targets
        self._key = key
        self._price = price
        self._cached_price = cached_price

    async def find(self, tenant_id: UUID, reference: str) -> Target:
        found = await self._targets.find(tenant_id, self._key)
        cached_price = self._cached_price or found.cached_price
        return replace(found, price=self._price, cached_price=cached_price, call_pools=found.line_pools)

    async def all(self, tenant_id: UUID) -> tuple[Target, ...]:
        return await self._targets.all(tenant_id)


async def _never() -> Message:
    """Wait forever: a batch has no client that could disconnect."""
    await asyncio.Event().wait()
    raise AssertionError("nobody sets this event")
