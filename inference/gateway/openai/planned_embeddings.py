"""Prepare requests for embeddings for a worker, and read its answers, where no thread and no cache is needed between.

A request that is not prepared here is not wrong: the general way reads it and says what is wrong with it, if anything
is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from inference.core.contracts import Json, TextInput, TokenInput, Units, WorkRefused
from inference.gateway.openai.embedding_answer import EmbeddingAnswer
from inference.gateway.openai.embedding_request import EmbeddingRequest, read_request
from inference.gateway.targets import Target
from inference.rpc.answers import SpentMs
from inference.rpc.client import understood
from inference.rpc.frames import Buffer
from inference.rpc.works import write_work
from inference.runtime.parameters import TRUNCATE, validate_parameters, validate_work_kind, work_kind
from inference.runtime.tensor_requests import validate_input
from inference.runtime.tensors import VECTORS
from tenants.core.errors import DomainError

RUNTIME = "embed"
"""The runtime of the models that give embeddings of text."""


@dataclass(frozen=True, slots=True)
class PlannedEmbedding:
    """A request that is ready to be sent to a worker."""

    target: Target
    request: EmbeddingRequest
    parameters: Mapping[str, Json]
    kind: str
    payload: bytes

    @property
    def work(self) -> TextInput | TokenInput:
        return self.request.work

    @property
    def count(self) -> int:
        """Return the number of texts."""
        return len(self.work.texts if isinstance(self.work, TextInput) else self.work.rows)

    def answer(self, payload: Buffer) -> "PlannedVectors":
        """Read the answer of a worker. Raises the error that the model raised."""
        read = understood(payload)
        assert read.output.tensors is not None
        vectors = np.atleast_2d(read.output.tensors[VECTORS])
        request, units = self.request, read.output.units
        written = EmbeddingAnswer(self.target.public_key, vectors, units.tokens, request.in_base64, request.dimensions)
        return PlannedVectors(written, units, read.queue_ms, read.run_ms, read.spent, read.joined)


@dataclass(frozen=True, slots=True)
class PlannedVectors:
    answer: EmbeddingAnswer
    units: Units
    queue_ms: float
    run_ms: float
    spent: SpentMs
    joined: bool

    @property
    def size(self) -> int:
        return self.answer.size_bytes

    def written_bytes(self) -> int:
        return self.answer.size_bytes

    def body(self) -> tuple[bytes, None]:
        """Return the body of the answer. No bytes follow its JSON."""
        return self.answer.written(), None


def plan_embedding(body: bytes, known: Callable[[str], Target | None]) -> PlannedEmbedding | None:
    """Read the request, or return None if the general way must. `known` returns the model if it may run now."""
    try:
        request = read_request(body)
    except DomainError:
        return None
    target = known(request.model)
    if target is None or target.runtime != RUNTIME or has_too_many_dimensions(request.dimensions, target.config):
        return None
    kind = work_kind(request.work)
    try:
        validate_work_kind(target.runtime, kind, target.config)
        filled = validate_parameters(target.runtime, {TRUNCATE.name: False}, target.config)
        validate_input(target.signature, request.work)
    except WorkRefused:
        return None
    return PlannedEmbedding(target, request, filled, kind, write_work(request.work, filled))


def has_too_many_dimensions(asked: int | None, config: Mapping[str, Json]) -> bool:
    most = config.get("dimensions")
    return asked is not None and most is not None and asked > most
