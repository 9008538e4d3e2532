"""Calls that were sent together and that nobody waits for, made by the same handlers as those that somebody does."""

import asyncio
from dataclasses import replace
from uuid import UUID

from inference.gateway.exchange import CHUNK_BYTES, Exchange
from inference.gateway.room import Share
from inference.gateway.targets import Target, Targets
from tenants.api.authentication import IDENTITY
from tenants.billing.ledger.till import Till
from tenants.core.asgi.protocol import REQUEST_ID, Message, Scope
from tenants.core.asgi.stopping import Stop
from tenants.identity.identity import Identity
from tenants.plans.agreed import AgreedPrice
from tenants.plans.prices import Price

APART = ":bulk"


class BulkExchange(Exchange):
    """To the lane and the batcher a tenant's bulk work is somebody else: it takes turns with its own calls as well."""

    def __init__(
        self,
        *,
        path: str,
        body: bytes,
        identity: Identity,
        request_id: str,
        stop: Stop,
        share: Share,
        till: Till | None = None,
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
        super().__init__(scope, _never, stop, share, till)
        self._body = body
        self._name = UUID(hex=request_id)

    async def body(self) -> bytes:
        self.hold(len(self._body) + CHUNK_BYTES)
        return self._body

    def price_of(self, model: str, price: Price, cached_price: Price) -> AgreedPrice:
        """Agreed when the batch was accepted: they come with the pinned target."""
        return AgreedPrice(price, cached_price)

    async def enter_free_day(self, inputs: int) -> None:
        """Counted as a whole, before the first of its lines was begun."""

    def reservation_id(self) -> UUID:
        """The line's own, as its first use has it: run again it is set aside once."""
        return self._name

    @property
    def turn(self) -> str:
        return f"{self.identity.tenant_id}{APART}"


class PinnedTargets(Targets):
    """One version at its prices of then, whatever has become current since: a pause holds, and so does its end."""

    def __init__(self, targets: Targets, key: str, price: Price, cached_price: Price | None) -> None:
        """Without a price of what is known, it is that of the moment."""
        self._targets = targets
        self._key = key
        self._price = price
        self._cached_price = cached_price

    async def find(self, reference: str) -> Target:
        found = await self._targets.find(self._key)
        return replace(found, price=self._price, cached_price=self._cached_price or found.cached_price)

    async def all(self) -> tuple[Target, ...]:
        return await self._targets.all()


async def _never() -> Message:
    """Nobody hangs up."""
    await asyncio.Event().wait()
    raise AssertionError("nobody sets this event")
