"""Handle `/v2…`: find the action that a path asks for, and run it."""

from collections.abc import Awaitable, Callable, Mapping

from inference.core.contracts import Json
from inference.gateway.exchange import Exchange
from inference.gateway.inference import Inference
from inference.gateway.kept_replies import KeptReplies
from inference.gateway.open_inference.encodings import refuse_encoded
from inference.gateway.open_inference.infer import infer
from inference.gateway.open_inference.paths import Action, Route, route_of
from inference.gateway.open_inference.requests import wants_only_ready
from inference.gateway.open_inference.statistics_book import StatisticsBook
from inference.gateway.open_inference.telling import Telling
from inference.gateway.replies import Reply, json_reply
from tenants.core.errors import DomainError, MethodNotAllowed

Handle = Callable[[Exchange, Route], Awaitable[Reply]]
Tell = Callable[[Exchange, Route], Awaitable[Json]]


class OpenInference:
    def __init__(self, inference: Inference, replies: KeptReplies) -> None:
        self.book = StatisticsBook()
        self.telling = telling = Telling(inference.targets, self.book)
        self._inference = inference
        self._replies = replies
        self._handlers: Mapping[Action, Handle] = {
            "server": _in_json(telling.server),
            "live": _in_json(telling.live),
            "ready": _in_json(telling.ready),
            "model": _in_json(telling.model),
            "model_ready": _in_json(telling.model_ready),
            "config": _in_json(telling.configuration),
            "statistics": _in_json(telling.statistics),
            "infer": self._infer,
            "index": self._index,
            "load": _in_json(telling.operators_own),
            "unload": _in_json(telling.operators_own),
        }

    async def __call__(self, exchange: Exchange) -> Reply:
        path, method = exchange.scope["path"], exchange.scope["method"]
        route = route_of(path)
        if route is None:
            raise DomainError(f"There is nothing under {path[:200]!r}.", code="not_found")
        if method != route.method and (method, route.method) != ("HEAD", "GET"):
            allowed = "GET, HEAD" if route.method == "GET" else route.method
            raise MethodNotAllowed(f"{path[:200]} takes {route.method}, not {method}.", allowed=allowed)
        return await self._handlers[route.action](exchange, route)

    async def _infer(self, exchange: Exchange, route: Route) -> Reply:
        return await infer(self._inference, self._replies, self.book, exchange, route.reference)

    async def _index(self, exchange: Exchange, _route: Route) -> Reply:
        exchange.identity.require("models:read")
        refuse_encoded(exchange.header(b"content-encoding"))
        only_ready = wants_only_ready(await exchange.body())
        return json_reply(await self.telling.index(exchange, only_ready=only_ready))


def _in_json(tell: Tell) -> Handle:
    async def handle(exchange: Exchange, route: Route) -> Reply:
        return json_reply(await tell(exchange, route))

    return handle
