"""Answer the requests for information about the server and its models, in the same way over HTTP and gRPC."""

from dataclasses import replace

from inference.core.contracts import Json
from inference.gateway.exchange import Exchange
from inference.gateway.open_inference.descriptions import (
    index_entry,
    model_configuration,
    model_metadata,
    server_metadata,
)
from inference.gateway.open_inference.faces import Face, face_of
from inference.gateway.open_inference.paths import Route
from inference.gateway.open_inference.statistics import NONE, model_statistics
from inference.gateway.open_inference.statistics_book import StatisticsBook
from inference.gateway.targets import Target, Targets
from tenants.core.asgi.stopping import Restarting
from tenants.core.errors import DomainError


class Telling:
    def __init__(self, targets: Targets, book: StatisticsBook) -> None:
        self._targets = targets
        self._book = book

    async def server(self, exchange: Exchange, _route: Route) -> Json:
        exchange.identity.require("models:read")
        return server_metadata()

    async def live(self, _exchange: Exchange, _route: Route) -> Json:
        """Return that the server is alive. Anyone may ask, because load balancers do."""
        return {"live": True}

    async def ready(self, exchange: Exchange, _route: Route) -> Json:
        """Return that the server is ready, or raise the reason why it is not. Anyone may ask."""
        if exchange.draining:
            raise Restarting
        await self._targets.check()
        return {"ready": True}

    async def model(self, exchange: Exchange, route: Route) -> Json:
        target = await self._described(exchange, route)
        return model_metadata(target.model, _shown(target, route), _face(target))

    async def model_ready(self, exchange: Exchange, route: Route) -> Json:
        exchange.identity.require("models:read")
        target = await self._targets.to_run(exchange.identity.tenant_id, route.reference)
        return {"name": target.model, "ready": True}

    async def configuration(self, exchange: Exchange, route: Route) -> Json:
        target = await self._described(exchange, route)
        return model_configuration(target.model, _shown(target, route), _face(target))

    async def statistics(self, exchange: Exchange, route: Route) -> Json:
        """Return the statistics of the caller's own calls by this protocol. The calls of other tenants are not
        shown.
        """
        exchange.identity.require("models:read")
        tenant_id = exchange.identity.tenant_id
        targets = (
            [await self._targets.find(tenant_id, route.reference)]
            if route.model
            else await self._targets.all(tenant_id)
        )
        counts = await self._book.of(str(exchange.identity.tenant_id))
        return {
            "model_stats": [
                model_statistics(target.model, number, counts.get(replace(target, number=number).key, NONE))
                for target in targets
                for number in _shown(target, route)
            ]
        }

    async def index(self, exchange: Exchange, *, only_ready: bool) -> list[Json]:
        exchange.identity.require("models:read")
        return [
            index_entry(target.model, target.number, _face(target), paused=bool(target.paused_reason))
            for target in await self._targets.all(exchange.identity.tenant_id)
            if not (only_ready and target.paused_reason)
        ]

    async def operators_own(self, exchange: Exchange, route: Route) -> Json:
        exchange.identity.require("models:read")
        raise DomainError(
            f"Models are not loaded or unloaded by callers: workers load {route.model[:100]!r} when it is asked, and "
            "what is served is the operator's choice.",
            code="not_supported",
        )

    async def _described(self, exchange: Exchange, route: Route) -> Target:
        exchange.identity.require("models:read")
        return await self._targets.find(exchange.identity.tenant_id, route.reference)


def _shown(target: Target, route: Route) -> tuple[int, ...]:
    return (target.number,) if route.version else target.versions


def _face(target: Target) -> Face:
    return face_of(target.runtime, target.accepts, target.signature)
