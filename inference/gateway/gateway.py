"""Answer the calls that do not go through Django, and pass everything else on."""

from collections.abc import Awaitable, Callable

from inference.gateway.exchange import Exchange
from inference.gateway.replies import Reply
from inference.gateway.room import Room
from tenants.api.authentication import IDENTITY
from tenants.billing.ledger.call_holds import CallHolds
from tenants.billing.metering.stream import MeterStream
from tenants.core.asgi.protocol import App, Receive, Scope, Send
from tenants.core.asgi.stopping import Stop
from tenants.core.errors import DomainError
from tenants.identity.identity import Identity

EMBEDDINGS = "/v1/embeddings"
OPEN_INFERENCE = "/v2"
GRPC_PREFIX = "/inference.GRPCInferenceService/"
OVER_GRPC = "maas.over_grpc"
"""The scope key that marks requests from the gRPC port."""
WRONGLY_ASKED = "invalid_request"


Handler = Callable[[Exchange], Awaitable[Reply]]


def is_call(path: str) -> bool:
    return path == EMBEDDINGS or is_open_inference(path) or is_grpc(path)


def is_open_inference(path: str) -> bool:
    return path == OPEN_INFERENCE or path.startswith(f"{OPEN_INFERENCE}/")


def is_grpc(path: str) -> bool:
    return path.startswith(GRPC_PREFIX)


def is_health(path: str) -> bool:
    return path.startswith((f"{OPEN_INFERENCE}/health/", f"{GRPC_PREFIX}ServerLive", f"{GRPC_PREFIX}ServerReady"))


def runs_model(path: str) -> bool:
    """Return whether a request to this path waits for a model to run, rather than only for information about models."""
    if path in (EMBEDDINGS, f"{GRPC_PREFIX}ModelInfer"):
        return True
    return is_open_inference(path) and path.endswith("/infer")


class Gateway:
    """An ASGI app that handles the synchronous calls. Its handlers raise DomainError for a refusal, and the layer in
    front writes it in the form of the protocol.
    """

    def __init__(
        self,
        inner: App,
        stop: Stop,
        meter: MeterStream,
        *,
        embeddings: Handler,
        open_inference: Handler,
        grpc: Handler | None = None,
        call_holds: CallHolds | None = None,
        room: Room | None = None,
    ) -> None:
        """Set up the handlers. `grpc` is None if there is no gRPC port, and `call_holds` is None if calls are
        not paid for.
        """
        self._inner = inner
        self._stop = stop
        self._meter = meter
        self._embeddings = embeddings
        self._open_inference = open_inference
        self._grpc = grpc
        self._call_holds = call_holds
        self._room = room or Room()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_call(scope["path"]):
            await self._inner(scope, receive, send)
            return
        handler = self._handler_of(scope["path"])
        identity = scope.get(IDENTITY)
        with self._room.share(identity.tenant_id if isinstance(identity, Identity) else None) as share:
            exchange = Exchange(scope, receive, self._stop, share, self._call_holds)
            try:
                reply = await self._answered(handler, exchange)
            finally:
                # If the client disconnected or the use could not be recorded, no result is cached.
                exchange.settle(written=False)
            await reply.give(send)

    async def _answered(self, handler: Handler, exchange: Exchange) -> Reply:
        """Return the handler's reply after the use has been recorded."""
        try:
            reply = await handler(exchange)
        except DomainError as error:
            # A model has run, but its answer cannot be written in the form that the caller wants.
            if error.code == WRONGLY_ASKED:
                await self._count(exchange)
            raise
        await self._count(exchange)
        return reply

    def _handler_of(self, path: str) -> Handler:
        if path == EMBEDDINGS:
            return self._embeddings
        if self._grpc is not None and is_grpc(path):
            return self._grpc
        return self._open_inference

    async def _count(self, exchange: Exchange) -> None:
        exchange.counting = True
        await self._meter.add(*exchange.named_uses())
        exchange.spend()
        exchange.settle(written=True)
