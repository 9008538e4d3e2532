"""Serve the methods of GRPCInferenceService: read each message, handle it with the same code as HTTP, and write the
response.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from django.conf import settings

from inference.core.contracts import Json, TensorInput, TextInput
from inference.gateway.exchange import LONGEST_S, Exchange
from inference.gateway.gateway import GRPC_PREFIX, OVER_GRPC
from inference.gateway.inference import Inference
from inference.gateway.open_inference.faces import Face, face_of
from inference.gateway.open_inference.grpc.answers import write_response
from inference.gateway.open_inference.grpc.messages import message, read_message
from inference.gateway.open_inference.grpc.requests import ReadCall, read_call
from inference.gateway.open_inference.grpc.wire import SplitRequest, split_request
from inference.gateway.open_inference.infer import checked_work, counted, written_as
from inference.gateway.open_inference.paths import Route
from inference.gateway.open_inference.requests import InferRequest
from inference.gateway.open_inference.routes import OpenInference, Tell
from inference.gateway.replies import Reply
from tenants.core.errors import DomainError

MAX_ASKED_BYTES = 4096
"""The most bytes of a message without tensors, which has only a name, a version or a flag."""
READ_TIMES = 16
"""How many times more memory parsed values take than serialized ones. This was measured with small INT64 values."""
BYTES_READ_TIMES = 2
"""The factor for tensors in bytes. Numbers take the same memory again if they must be aligned, and the number of texts
is bounded.
"""
NOT_READY = frozenset({"model_not_found", "model_paused"})
CONTENT_TYPE = "application/grpc+proto"

Handle = Callable[[Exchange], Awaitable[Reply]]


class GrpcInference:
    def __init__(self, inference: Inference, open_inference: OpenInference) -> None:
        self._inference = inference
        self._telling = telling = open_inference.telling
        self._book = open_inference.book
        self._handlers: Mapping[str, Handle] = {
            "ServerLive": _told("ServerLive", telling.live),
            "ServerReady": self._ready,
            "ServerMetadata": _told("ServerMetadata", telling.server),
            "ModelReady": self._model_ready,
            "ModelMetadata": _told("ModelMetadata", telling.model),
            "ModelConfig": self._configuration,
            "ModelStatistics": _told("ModelStatistics", telling.statistics),
            "RepositoryIndex": self._index,
            "ModelInfer": self._infer,
            "ModelStreamInfer": self._opened,
        }

    async def __call__(self, exchange: Exchange) -> Reply:
        method = exchange.scope["path"].removeprefix(GRPC_PREFIX)
        if OVER_GRPC not in exchange.scope:
            raise DomainError("gRPC has a port of its own; here is HTTP, with /v2.", code="not_found")
        handle = self._handlers.get(method)
        if handle is None:
            raise DomainError(
                f"{method[:60]} is not supported here: what is loaded, traced and logged is the operator's choice, and "
                "memory is not shared with callers over a network.",
                code="not_supported",
            )
        return await handle(exchange)

    async def _ready(self, exchange: Exchange) -> Reply:
        try:
            await self._telling.ready(exchange, Route("POST", "ready"))
        except DomainError:
            return _reply("ServerReadyResponse", {"ready": False})
        return _reply("ServerReadyResponse", {"ready": True})

    async def _model_ready(self, exchange: Exchange) -> Reply:
        asked = await _read("ModelReadyRequest", exchange)
        try:
            await self._telling.model_ready(exchange, Route("POST", "model_ready", asked.name, asked.version))
        except DomainError as error:
            if error.code not in NOT_READY:
                raise
            return _reply("ModelReadyResponse", {"ready": False})
        return _reply("ModelReadyResponse", {"ready": True})

    async def _configuration(self, exchange: Exchange) -> Reply:
        asked = await _read("ModelConfigRequest", exchange)
        route = Route("POST", "config", asked.name, asked.version)
        config = await self._telling.configuration(exchange, route)
        return _reply("ModelConfigResponse", {"config": config})

    async def _index(self, exchange: Exchange) -> Reply:
        asked = await _read("RepositoryIndexRequest", exchange)
        models = await self._telling.index(exchange, only_ready=asked.ready)
        return _reply("RepositoryIndexResponse", {"models": models})

    async def _opened(self, exchange: Exchange) -> Reply:
        """Open a stream before any of its messages. Each message is then handled as a ModelInfer."""
        exchange.identity.require("jobs:write")
        return Reply(content_type=CONTENT_TYPE)

    async def _infer(self, exchange: Exchange) -> Reply:
        exchange.identity.require("jobs:write")
        body = await exchange.body()
        split = _bounded(split_request(body))
        exchange.hold(READ_TIMES * len(split.head) + BYTES_READ_TIMES * (len(body) - len(split.head)))
        call = await exchange.think(len(split.head), read_call, split)
        target = await self._inference.targets.to_run(exchange.identity.tenant_id, call.reference)
        face = face_of(target.runtime, target.accepts, target.signature)
        request, work = await exchange.think(len(body), _asked, face, call)
        with counted(self._book, exchange, target) as count:
            answered = await self._inference.run(
                exchange,
                target,
                work,
                request.parameters or {},
                kind=face.asked,
                deadline_s=request.timeout_s or LONGEST_S,
            )
            count(answered.timings, answered.note.word)
        response = await written_as(write_response, exchange, request, answered)
        return Reply(response, CONTENT_TYPE, headers=answered.headers)


def _bounded(split: SplitRequest) -> SplitRequest:
    max_bytes = settings.MAAS_MAX_INLINE_BYTES // 2
    if len(split.head) > max_bytes:
        raise DomainError(
            f"The message has {len(split.head)} bytes beside raw_input_contents; at most {max_bytes} are read. Send "
            "large tensors as bytes, in raw_input_contents.",
            code="request_too_large",
        )
    return split


def _asked(face: Face, call: ReadCall) -> tuple[InferRequest, TextInput | TensorInput]:
    request = call.request()
    return request, checked_work(face, request)


def _told(method: str, tell: Tell) -> Handle:
    """Return the handler of a method that takes only a name and a version. The response has the same fields as the
    answer in JSON.
    """

    async def handle(exchange: Exchange) -> Reply:
        asked = await _read(f"{method}Request", exchange)
        route = Route("POST", "model", getattr(asked, "name", ""), getattr(asked, "version", ""))
        return _reply(f"{method}Response", await tell(exchange, route))

    return handle


async def _read(name: str, exchange: Exchange) -> Any:
    written = await exchange.body()
    if len(written) > MAX_ASKED_BYTES:
        raise DomainError(
            f"The {name} has {len(written)} bytes; at most {MAX_ASKED_BYTES} are read.",
            code="request_too_large",
        )
    return read_message(name, written)


def _reply(name: str, said: Json) -> Reply:
    return Reply(message(name)(**said).SerializeToString(), CONTENT_TYPE)
