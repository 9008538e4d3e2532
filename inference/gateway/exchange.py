"""Represent one request on its way through the gateway: its identity, its body, and the call that ends when the client
disconnects.
"""

import asyncio
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar
from uuid import UUID

import structlog

from inference.gateway.held_call import HeldCall
from inference.gateway.listening import ListenedCall
from inference.gateway.room import Share
from tenants.api.authentication import IDENTITY
from tenants.billing.ledger.call_holds import CallHolds
from tenants.billing.ledger.headroom import Most
from tenants.billing.metering.events import MeterEvent
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

LONGEST_S = 60.0
"""The longest time that a call may wait for its answer."""
SMALL_BYTES = 64 << 10
"""The largest size that is read and written in the event loop. For so little, a thread would cost more than it saves
the other requests.
"""

CHUNK_BYTES = 64
"""The memory that a chunk takes besides its content, however small the content is."""


class Exchange:
    def __init__(
        self, scope: Scope, receive: Receive, stop: Stop, share: Share, call_holds: CallHolds | None = None
    ) -> None:
        self.scope = scope
        self._held = HeldCall(call_holds)
        self._receive = receive
        self._stop = stop
        self._share = share
        self.whole_s = time.monotonic()
        """The time at which the whole request had arrived."""
        self.uses: list[MeterEvent] = []
        """The uses that the answer is charged for. They are recorded when the answer is ready, before it is sent."""
        self.tokens = 0
        """The number of tokens that models have read for this request."""
        self.known_tokens = 0
        """The number of tokens whose results came from the cache."""
        self.counting = False
        """True as soon as the uses are being written to the stream, whether or not the client disconnects."""
        self._afterwards: list[Callable[[bool], None]] = []
        self.held_bytes = 0
        """The bytes that are kept in memory until the use is recorded."""

    @property
    def identity(self) -> Identity:
        """Return the caller's identity. Raises NotSignedIn if the request has no key: a session alone does not prove
        that the person intended the request.
        """
        found = self.scope.get(IDENTITY)
        if not isinstance(found, Identity):
            raise NotSignedIn("Send your key as: Authorization: Bearer <key>.")
        return found

    def price_of(self, model: str, price: Price, cached_price: Price) -> AgreedPrice:
        """Return the prices that this caller pays for a model with these list prices."""
        return self.identity.prices.of_model(model, price, cached_price)

    @property
    def admission(self) -> Admission | None:
        """Return the admission that the guard created, or None if no guard runs in front of the gateway and nothing is
        limited.
        """
        found = self.scope.get(ADMISSION)
        return found if isinstance(found, Admission) else None

    async def enter_model(self, model: str, currency: str, most: Callable[[], Most]) -> None:
        """Reserve the most that the call may cost, and count the call against the model's limits. Raises if a limit of
        the model or the caller's money allows no more calls.
        """
        await self._held.reserve(self.identity, self.reservation_id, currency, most)
        if self.admission is not None:
            await self.admission.enter_model(model)

    async def enter_free_day(self, inputs: int) -> None:
        """Count the inputs of a test call. Raises AllowanceSpent if the account has used up its test calls of the day.

        The guard has already counted the call itself, which stands for the first input.
        """
        if inputs > 1 and not self.identity.livemode:
            await asyncio.to_thread(free_day().spend, self.identity.tenant_id, "calls", inputs - 1)

    def reservation_id(self) -> UUID:
        return uuid7()

    def named_uses(self) -> list[MeterEvent]:
        """Return the uses. The last one gets the id of the reservation, which is released when that use is charged."""
        return self._held.named(self.uses)

    def spend(self) -> None:
        """Reduce the reservation to the actual cost, which stays reserved until it is charged. The use has been
        recorded, or will be.
        """
        self.uses = self._held.covered(self.uses)
        self._held.spend(self.uses)

    def header(self, name: bytes) -> str | None:
        return header(self.scope, name)

    @property
    def cache_control(self) -> str | None:
        """Return the values of all `Cache-Control` headers as one list."""
        return ", ".join(headers_of(self.scope, b"cache-control")) or None

    async def body(self) -> bytes:
        """Read the whole body. Call this only once. The guard has bounded the body's size and the time it may take."""
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
        """Count more bytes against the memory limit until the request ends, for what was made of its body."""
        self._share.grow(count)

    def afterwards(self, tell: Callable[[bool], None], held_bytes: int) -> None:
        """Register a callback that is called once, with whether the use has been recorded. Results that are not paid
        for must not be cached.

        `held_bytes` is the memory that is held until then.
        """
        self._afterwards.append(tell)
        self.held_bytes += held_bytes

    def settle(self, *, written: bool) -> None:
        """Release the reservation and run the callbacks, however the request ended. If the use may be in the stream,
        the reservation stays until it expires.
        """
        if not self.counting:
            self._held.release()
        told, self._afterwards = self._afterwards, []
        for tell in told:
            try:
                tell(written)
            except Exception:
                # What is not kept is run again; who has paid is answered.
                log.exception("result_not_cached")

    @property
    def draining(self) -> bool:
        """Return whether the process is about to stop. It still answers requests that arrive, but should not receive
        new ones.
        """
        return self._stop.draining

    async def think(self, size_bytes: int, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run work whose duration grows with the size of its input: in the event loop if it is small, otherwise in a
        thread so that it blocks no other request.
        """
        if size_bytes <= SMALL_BYTES:
            return work(*args, **kwargs)
        return await asyncio.to_thread(work, *args, **kwargs)

    @property
    def turn(self) -> str:
        """Return the name under which this call gets its fair share in the RPC client and the batcher."""
        return str(self.identity.tenant_id)

    def call(self, deadline_s: float) -> ListenedCall:
        return ListenedCall(self._receive, self._stop, deadline_s=deadline_s, tenant=self.turn)
