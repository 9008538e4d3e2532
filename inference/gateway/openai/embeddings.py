"""Handle `POST /v1/embeddings`: take texts or tokens and return vectors, in the form of OpenAI's client."""

from collections.abc import Mapping
from uuid import UUID

import numpy as np
from django.conf import settings

from inference.core.contracts import Json
from inference.gateway.exchange import Exchange
from inference.gateway.inference import Answered, Inference
from inference.gateway.kept_replies import KeptReplies, RawRequest
from inference.gateway.open_inference.encodings import refuse_encoded
from inference.gateway.openai.embedding_answer import EmbeddingAnswer
from inference.gateway.openai.embedding_request import EmbeddingRequest, read_request
from inference.gateway.openai.planned_embeddings import RUNTIME, has_too_many_dimensions
from inference.gateway.openai.refusals import model_is_blamed, models_blame_input, refused
from inference.gateway.replies import Reply
from inference.gateway.targets import Target
from inference.registry.errors import ModelTypeMismatch
from inference.runtime.parameters import TRUNCATE, work_kind
from inference.runtime.tensors import VECTORS
from tenants.core.errors import DomainError, MethodNotAllowed

READ_TIMES = 8
"""The approximate factor by which parsed token ids take more memory than their JSON."""


class Embeddings:
    """The gateway's handler for that path."""

    def __init__(self, inference: Inference, replies: KeptReplies | None = None) -> None:
        """Take the inference service and the cache of replies. `replies` is None if no replies are cached."""
        self._inference = inference
        self._replies = replies

    async def __call__(self, exchange: Exchange) -> Reply:
        method = exchange.scope["method"]
        if method != "POST":
            raise MethodNotAllowed(f"{method} is not allowed here; use POST.", allowed="POST")
        exchange.identity.require("jobs:write")
        refuse_encoded(exchange.header(b"content-encoding"))
        body = await exchange.body()
        _check_size(len(body), settings.MAAS_MAX_INLINE_BYTES)
        raw = None if self._replies is None else await self._replies.raw(exchange, body)
        if raw is not None and (reply := await self._known(exchange, raw)) is not None:
            return reply
        exchange.hold(READ_TIMES * len(body))
        asked = await exchange.think(len(body), read_request, body)
        target = await self._target(exchange.identity.tenant_id, asked)
        with models_blame_input():
            answered = await self._inference.run(
                exchange, target, asked.work, {TRUNCATE.name: False}, kind=work_kind(asked.work)
            )
        answer = _answer(asked, answered)
        exchange.hold(answer.size_bytes)
        written = await exchange.think(answer.size_bytes, answer.written)
        if raw is not None:
            raw.keep(exchange, asked.model, answered, Reply(written))
        return Reply(written, headers=answered.headers)

    async def _known(self, exchange: Exchange, raw: RawRequest) -> Reply | None:
        kept = await raw.find()
        if kept is None:
            return None
        with model_is_blamed():
            target = await self._inference.targets.to_run(exchange.identity.tenant_id, kept.reference)
        return await raw.answer(exchange, kept, target)

    async def _target(self, tenant_id: UUID, asked: EmbeddingRequest) -> Target:
        with model_is_blamed():
            target = await self._inference.targets.to_run(tenant_id, asked.model)
            if target.runtime != RUNTIME:
                raise ModelTypeMismatch(
                    f"The model {target.model!r} gives no embeddings of text. "
                    f"Those that do: {', '.join(await self._models(tenant_id)) or 'none is served here'}."
                )
        check_dimensions(asked.dimensions, target.public_key, target.config)
        return target

    async def _models(self, tenant_id: UUID) -> list[str]:
        return [target.model for target in await self._inference.targets.all(tenant_id) if target.runtime == RUNTIME]


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise DomainError(
            f"The body has {size} bytes; at most {most} are read. Send fewer texts at a time.",
            code="request_too_large",
        )


def check_dimensions(asked: int | None, key: str, config: Mapping[str, Json]) -> None:
    """Raise if more dimensions are requested than the vectors have. `key` and `config` are those of the model
    version.
    """
    most = config.get("dimensions")
    if has_too_many_dimensions(asked, config):
        raise refused(
            f"'dimensions' is {asked}, but a vector of {key!r} has {most}. Ask for at most that many.",
            param="dimensions",
        )


def _answer(asked: EmbeddingRequest, answered: Answered) -> EmbeddingAnswer:
    output = answered.output
    assert output.tensors is not None
    vectors = np.atleast_2d(output.tensors[VECTORS])
    return EmbeddingAnswer(answered.target.public_key, vectors, output.units.tokens, asked.in_base64, asked.dimensions)
