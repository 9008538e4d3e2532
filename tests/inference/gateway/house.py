"""Provide the handlers of a web process without a server, and a model that answers in a thread."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.conf import settings

from inference.core.contracts import TextInput, Units, WorkOutput, WorkRefused
from inference.gateway.exchange import Exchange
from inference.gateway.open_inference.routes import OpenInference
from inference.gateway.openai.embeddings import Embeddings
from inference.gateway.replies import Reply
from inference.gateway.room import Room
from inference.rpc import AsyncLaneClient, LaneRequest
from inference.runtime.tensors import VECTORS
from tenants.api.authentication import IDENTITY
from tenants.billing.metering.events import MeterEvent
from tenants.core.asgi.protocol import Message, Scope
from tenants.core.asgi.stopping import Stop
from tenants.core.asgi.threads import DatabaseThreads
from tenants.identity.identity import Identity
from tests.inference.gateway.known import cache_at, inference_of

REFUSED = "refuse me"
Headers = Mapping[str, str] | Sequence[tuple[str, str]]
"""The headers of a request. They are a list if one occurs twice."""


class Embedder:
    """A worker for synchronous calls. A text's vector is made of its letters, and it has as many tokens as letters."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.runs: list[tuple[str, ...]] = []
        self.fails: Exception | None = None
        self.device_us = 0
        """The device time of a run, however many texts it has."""

    def serve(self, request: LaneRequest) -> WorkOutput:
        assert isinstance(request.work, TextInput)
        texts = request.work.texts
        self.runs.append(texts)
        while not self.gate.wait(0.005):
            request.call.check()
        if self.fails is not None:
            raise self.fails
        if REFUSED in texts:
            raise WorkRefused("context_length_exceeded", f"text {texts.index(REFUSED)} is longer than is read")
        tokens = tuple(map(len, texts))
        vectors = np.array([_vector(text) for text in texts], np.float32)
        single = request.work.single
        return WorkOutput(
            {"truncated": False if single else [], "dimensions": 4, "tokens": sum(tokens)},
            Units(tokens=sum(tokens), device_us=self.device_us),
            tensors={VECTORS: vectors[0] if single else vectors},
            row_tokens=tokens,
        )


def _vector(text: str) -> list[float]:
    seed = sum(ord(letter) * (place + 1) for place, letter in enumerate(text))
    numbers = np.random.default_rng(seed).normal(size=4)
    return list(numbers / np.linalg.norm(numbers))


@dataclass(frozen=True)
class Given:
    reply: Reply
    uses: list[MeterEvent] = field(default_factory=list)

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self.reply.headers}

    @property
    def word(self) -> str:
        return self.headers["x-cache"]

    @property
    def json(self) -> Any:
        return json.loads(self.reply.body)

    @property
    def bill(self) -> list[tuple[str, int, int]]:
        """Return the kind, the quantity and the price of each use."""
        return [(use.source_kind, use.quantity, use.price.amount_micros) for use in self.uses]


async def written_down() -> bool:
    """Answer like a meter that records every use at once."""
    return True


class House:
    """A web process with its own memory and its own runs in progress."""

    def __init__(self, cache_url: str, *, memory_bytes: int = 1 << 20, **options: Any) -> None:
        self.meter = written_down
        self.threads = DatabaseThreads("house", 1)
        self.lane = AsyncLaneClient(settings.MAAS_REDIS_URL)
        self.cache = cache_at(cache_url, memory_bytes, **options)
        inference, replies = inference_of(self.threads, self.lane, self.cache, memory_bytes)
        self._embeddings = Embeddings(inference, replies)
        self._open_inference = OpenInference(inference, replies)

    async def embed(self, identity: Identity, model: str, asked: Any, headers: Headers = (), **more: Any) -> Given:
        body = json.dumps({"model": model, "input": asked, **more}).encode()
        return await self.ask(self._embeddings, identity, "/v1/embeddings", body, headers)

    async def infer(
        self,
        identity: Identity,
        model: str,
        texts: list[str],
        headers: Headers = (),
        **more: Any,
    ) -> Given:
        tensor = {"name": "text", "shape": [len(texts)], "datatype": "BYTES", "data": texts}
        body = json.dumps({"inputs": [tensor], **more}).encode()
        return await self.ask(self._open_inference, identity, f"/v2/models/{model}/infer", body, headers)

    async def ask(
        self,
        handler: Callable[[Exchange], Awaitable[Reply]],
        identity: Identity,
        path: str,
        body: bytes,
        headers: Headers,
    ) -> Given:
        pairs = headers.items() if isinstance(headers, Mapping) else headers
        given = [("content-length", str(len(body))), *pairs]
        scope: Scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "http_version": "1.1",
            "headers": [(name.encode(), value.encode()) for name, value in given],
            IDENTITY: identity,
        }
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            return messages.pop() if messages else await asyncio.Future()

        with Room().share() as share:
            exchange = Exchange(scope, receive, Stop(), share)
            try:
                reply = await handler(exchange)
                exchange.settle(written=await self.meter())
                return Given(reply, exchange.uses)
            finally:
                exchange.settle(written=False)

    async def close(self) -> None:
        await self.lane.close()
        await self.cache.close()
        self.threads.close()


@asynccontextmanager
async def houses(cache_url: str, count: int = 1, **options: Any) -> AsyncIterator[list[House]]:
    opened = [House(cache_url, **options) for _ in range(count)]
    try:
        yield opened
    finally:
        for house in opened:
            await house.close()
