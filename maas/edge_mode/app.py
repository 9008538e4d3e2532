"""The ASGI application of edge mode, with a handful of paths and one way to run a model."""

import asyncio
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import structlog
from prometheus_client import CONTENT_TYPE_LATEST

from inference.core.contracts import Json
from jobs.intake.multipart import too_large
from maas.edge_mode.authorizer import Authorizer
from maas.edge_mode.call_parsing import JSON_TYPE, Incoming, media_type, read_parameters
from maas.edge_mode.errors import MethodNotAllowed, ModelNotServed
from maas.edge_mode.responses import PageAnswer, Reply, json_reply, refused, result_json, send_reply
from maas.edge_mode.runs import CallSlot, CallSlots, Runs
from maas.edge_mode.served_models import ShelfModel
from maas.web.guard.body import Allowance, BodyTooLarge, Deadlines
from maas.web.guard.request_ids import request_id
from tenants.core.asgi.protocol import ClientGone, Receive, Scope, Send, header
from tenants.core.asgi.stopping import Restarting, Stop
from tenants.core.errors import DomainError, NotFound

log = structlog.get_logger(__name__)
PROBES = frozenset({"/livez", "/readyz"})
"""Paths that are open to every caller."""
WRITE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class EdgeLimits:
    deadline_s: float
    document_bytes: int
    json_bytes: int
    bodies: Deadlines = field(default_factory=Deadlines)


@dataclass(frozen=True, slots=True)
class EdgeApp:
    models: Mapping[str, ShelfModel]
    runs: Runs
    places: CallSlots
    authorizer: Authorizer
    stop: Stop
    limits: EdgeLimits
    spool: Path
    metrics: Callable[[], bytes]
    is_ready: Callable[[], bool]
    is_leaving: Callable[[], bool]
    sandbox: Callable[[], Json]
    """Returns for `/readyz` what confines the child processes that open documents."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            await self._answer(Incoming(scope, receive, self.stop), send)

    async def _answer(self, incoming: Incoming, send: Send) -> None:
        scope, began_s = incoming.scope, time.monotonic()
        name = request_id(header(scope, b"x-request-id"))
        with structlog.contextvars.bound_contextvars(request_id=name):
            try:
                reply = await self._reply(incoming)
            except ClientGone:
                log.info("client_disconnected", path=scope["path"])
                return
            except Exception as error:
                reply = refused(error, name)
            if _is_news(scope["path"], reply.status):
                ms = round(1000 * (time.monotonic() - began_s))
                log.info("edge_call", method=scope["method"], path=scope["path"], status=reply.status, ms=ms)
            hang_up = incoming.is_unread and scope["http_version"].startswith("1")
            await send_reply(reply, send, name, hang_up=hang_up)

    async def _reply(self, incoming: Incoming) -> Reply:
        scope = incoming.scope
        if scope["path"] == "/livez":
            return json_reply({"status": "alive"})
        if scope["path"] == "/readyz":
            ready = self.is_ready()
            state = {"status": "ready" if ready else "not ready", "sandbox": self.sandbox()}
            return json_reply(state, 200 if ready else 503)
        self.authorizer.admit(scope)
        match scope["path"].strip("/").split("/"):
            case ["metrics"]:
                _only("GET", scope)
                return Reply(200, await asyncio.to_thread(self.metrics), CONTENT_TYPE_LATEST)
            case ["v1", "models"]:
                _only("GET", scope)
                return json_reply({"object": "list", "data": [model.as_json() for model in self.models.values()]})
            case ["v1", "models", name]:
                _only("GET", scope)
                return json_reply(self._model(name).as_json())
            case ["v1", "models", name, "run"]:
                _only("POST", scope)
                return await self._run(self._model(name), incoming)
        raise NotFound("There are /livez, /readyz, /metrics, /v1/models, /v1/models/{name} and its /run here.")

    def _model(self, name: str) -> ShelfModel:
        if name not in self.models:
            raise ModelNotServed(f"There is no model {name[:120]!r}. Served here: {', '.join(self.models)}.")
        return self.models[name]

    async def _run(self, model: ShelfModel, incoming: Incoming) -> Reply:
        if self.is_leaving():
            raise Restarting
        kind = media_type(header(incoming.scope, b"content-type"))
        async with self.places.take() as slot:
            ask = self._inline if kind == JSON_TYPE else self._document
            pages = await ask(model, incoming, slot)
        return Reply(200, await asyncio.to_thread(result_json, model.spec.key, pages))

    async def _inline(self, model: ShelfModel, incoming: Incoming, slot: CallSlot) -> list[PageAnswer]:
        most, bodies = self.limits.json_bytes, self.limits.bodies
        allowance = Allowance(most, bodies.idle_s, bodies.request_s, lambda: _body_too_large(most))
        content = b"".join([chunk async for chunk in incoming.chunks(allowance)])
        async with incoming.call(self.limits.deadline_s) as call:
            return await self.runs.inline(model, content, slot, call)

    async def _document(self, model: ShelfModel, incoming: Incoming, slot: CallSlot) -> list[PageAnswer]:
        parameters = read_parameters(incoming.scope["query_string"])
        self.runs.check_document(model, parameters)
        most, bodies = self.limits.document_bytes, self.limits.bodies
        allowance = Allowance(most, bodies.idle_s, bodies.upload_s, lambda: too_large(most))
        with tempfile.NamedTemporaryFile(dir=self.spool, buffering=WRITE_BYTES) as file:
            async for chunk in incoming.chunks(allowance):
                await asyncio.to_thread(file.write, chunk)
            await asyncio.to_thread(file.flush)
            async with incoming.call(self.limits.deadline_s) as call:
                return await self.runs.document(model, Path(file.name), parameters, slot, call)


def _is_news(path: str, status: int) -> bool:
    """Say whether a request is logged. Probes and metrics come every few seconds, so only refused metrics are."""
    return path not in PROBES and (path, status) != ("/metrics", 200)


def _only(method: str, scope: Scope) -> None:
    if scope["method"] != method:
        raise MethodNotAllowed(f"{scope['path'][:120]} takes {method}, not {scope['method'][:20]}.")


def _body_too_large(max_bytes: int) -> DomainError:
    return BodyTooLarge(
        f"The body is larger than the {max_bytes} bytes that JSON may have here.",
        extra={"limit_bytes": max_bytes},
    )


async def _live(receive: Receive, send: Send) -> None:
    """Confirm the lifespan messages. The process itself starts and ends what lives as long as it does."""
    while True:
        message = await receive()
        kind = message["type"]
        await send({"type": f"{kind}.complete"})
        if kind == "lifespan.shutdown":
            return
