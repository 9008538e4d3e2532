"""One request on its way through the gateway: whose it is, its body, and the call that ends when its caller leaves."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ParamSpec, TypeVar
from uuid import UUID

import structlog

from inference.gateway.listening import ListenedCall
from inference.gateway.room import Share
from tenants.api.authentication import IDENTITY
from tenants.billing.ledger.headroom import Most
from tenants.billing.ledger.reservations import Reservation
from tenants.billing.ledger.till import Till
from tenants.billing.metering.events import MeterEvent, with_covered
from tenants.core.asgi.protocol import ClientGone, Receive, Scope, has_body, header, headers_of
from tenants.core.asgi.stopping import Stop
from tenants.core.errors import NotSignedIn
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity
from tenants.limits.rates.admission import ADMISSION, Admission
from tenants.limits.rates.free_day import free_day
from tenants.plans.agreed import AgreedPrice
from tenants.plans.prices import Price

log = structlog.get_logger(__name__)
P = ParamSpec("P")
R = TypeVar("R")

SMALL_BYTES = 64 << 10
"""Read and written in the event loop: a thread would cost more than it spares the others."""

CHUNK_BYTES = 64
"""What a chunk costs beside its content, however small that is."""


class Exchange:
    def __init__(
        self, scope: Scope, receive: Receive, stop: Stop, share: Share, till: Till | None = None
    ) -> None:
        self.scope = scope
        self._till = till
        self._reserved: Reservation | None = None
        """What it may cost, set aside until that is known."""
        self._receive = receive
        self._stop = stop
        self._share = share
        self.whole_s = time.monotonic()
        """Since when the request is here as a whole."""
        self.uses: list[MeterEvent] = []
        """What the answer will have cost: written down once it is made, and before it leaves."""
        self.tokens = 0
        """What models have read for it."""
        self.known_tokens = 0
        """What they had read before."""
        self.counting = False
        """Its uses are on their way into the stream, whatever becomes of its caller."""
        self._afterwards: list[Callable[[bool], None]] = []
        self.held_bytes = 0
        """So much is kept in memory until what was used is written down."""

    @property
    def identity(self) -> Identity:
        """Raises where the request came without a key: a session alone does not prove that the person meant it."""
        found = self.scope.get(IDENTITY)
        if not isinstance(found, Identity):
            raise NotSignedIn("Send your key as: Authorization: Bearer <key>.")
        return found

    def price_of(self, model: str, price: Price, cached_price: Price) -> AgreedPrice:
        """What its caller pays for a model that costs this."""
        return self.identity.prices.of_model(model, price, cached_price)

    @property
    def admission(self) -> Admission | None:
        """None where nobody limits: in front of it there is no guard."""
        found = self.scope.get(ADMISSION)
        return found if isinstance(found, Admission) else None

    async def enter_model(self, model: str, currency: str, most: Callable[[], Most]) -> None:
        """Raises where a limit of the model, or the caller's money, lets nothing more through."""
        if self._till is not None and self.identity.bounded and self.identity.livemode:
            named = self.reservation_id()
            self._reserved = await self._till.reserve(self.identity, named, currency, most())
        if self.admission is not None:
            await self.admission.enter_model(model)

    async def enter_free_day(self, inputs: int) -> None:
        """Raises AllowanceSpent where the account's tests have had their day. The first input is counted already, as
        the call itself, by the guard in front."""
        if inputs > 1 and not self.identity.livemode:
            await asyncio.to_thread(free_day().spend, self.identity.tenant_id, "calls", inputs - 1)

    def reservation_id(self) -> UUID:
        return uuid7()

    def named_uses(self) -> list[MeterEvent]:
        """The last one has the id of what was set aside, which is given free when that one is charged."""
        if self._reserved is None or not self.uses:
            return self.uses
        self._cover()
        return [*self.uses[:-1], replace(self.uses[-1], id=self._reserved.id)]

    def spend(self) -> None:
        """What was used is written down, or will be: so much stays set aside until it is charged."""
        self._cover()
        cost_micros = sum(use.to_pay_micros for use in self.uses)
        units = (sum(use.covered for use in self.uses), sum(use.covered_of_all for use in self.uses))
        self._let_go(cost_micros, units)

    def _cover(self) -> None:
        """Its uses have the included units that were set aside for them."""
        if self._reserved is not None and any(self._reserved.units):
            self.uses = with_covered(self.uses, *self._reserved.units)

    def _let_go(self, cost_micros: int, units: Sequence[int] = ()) -> None:
        reserved, self._reserved = self._reserved, None
        if reserved is not None and self._till is not None:
            self._till.settle(reserved, cost_micros, units)

    def header(self, name: bytes) -> str | None:
        return header(self.scope, name)

    @property
    def cache_control(self) -> str | None:
        """Of all such headers, as they make one list."""
        return ", ".join(headers_of(self.scope, b"cache-control")) or None

    async def body(self) -> bytes:
        """Once. The guard in front has bounded its size and its time."""
        chunks: list[bytes] = []
        more = has_body(self.scope)
        while more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            more = message.get("more_body", False)
            if chunk := message.get("body", b""):
                self._share.grow(len(chunk) + CHUNK_BYTES)
                chunks.append(chunk)
        self.whole_s = time.monotonic()
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def hold(self, count: int) -> None:
        """So many bytes more, as long as the request lasts: what its body has become."""
        self._share.grow(count)

    def afterwards(self, tell: Callable[[bool], None], held_bytes: int) -> None:
        """Is told once whether what was used has been written down: what is not paid for is kept for nobody.

        `held_bytes`: so much is held until then.
        """
        self._afterwards.append(tell)
        self.held_bytes += held_bytes

    def settle(self, *, written: bool) -> None:
        """However it ended. What may be in the stream all the same stays set aside for its time."""
        if not self.counting:
            self._let_go(0)
        told, self._afterwards = self._afterwards, []
        for tell in told:
            try:
                tell(written)
            except Exception:
                # What is not kept is run again; who has paid is answered.
                log.exception("result_not_cached")

    @property
    def draining(self) -> bool:
        """The process is about to stop: it answers what still comes, and wants no more."""
        return self._stop.draining

    async def think(self, size_bytes: int, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs what takes longer the larger something is, where it holds nobody up."""
        if size_bytes <= SMALL_BYTES:
            return work(*args, **kwargs)
        return await asyncio.to_thread(work, *args, **kwargs)

    @property
    def turn(self) -> str:
        """Who takes turns with others in the lane and the batcher."""
        return str(self.identity.tenant_id)

    def call(self, deadline_s: float) -> ListenedCall:
        return ListenedCall(self._receive, self._stop, deadline_s=deadline_s, tenant=self.turn)
