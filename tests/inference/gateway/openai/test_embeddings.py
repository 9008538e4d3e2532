import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from inference.gateway.exchange import Exchange
from inference.gateway.openai.embeddings import Embeddings
from inference.gateway.room import Room
from inference.registry.models import ModelVersion
from inference.rpc import AsyncLaneClient
from tenants.api.authentication import IDENTITY
from tenants.core.asgi.protocol import Message, Scope
from tenants.core.asgi.stopping import Stop
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.db.unit_of_work import operator_work
from tenants.core.errors import DomainError
from tenants.identity.identity import Identity
from tests.inference.gateway.known import cache_at, inference_of

NOWHERE = "redis://127.0.0.1:1/0"


def receive_of(body: bytes) -> Callable[[], Awaitable[Message]]:
    """Return a `receive` that gives the body, and then waits forever."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return messages.pop() if messages else await asyncio.Future()

    return receive


def refusal_of(
    identity: Identity | None, asked: dict[str, Any], *, method: str = "POST", encoding: bytes = b"identity"
) -> DomainError:
    """Return the refusal of a request in a process that can reach neither the workers nor the meter's stream."""
    body = json.dumps(asked).encode()

    async def ask() -> None:
        threads = DatabaseThreads("targets", 1)
        lane = AsyncLaneClient(NOWHERE)
        scope: Scope = {
            "type": "http",
            "method": method,
            "path": "/v1/embeddings",
            "http_version": "1.1",
            "headers": [(b"content-length", b"%d" % len(body)), (b"content-encoding", encoding)],
        }
        if identity is not None:
            scope[IDENTITY] = identity
        try:
            with Room().share() as share:
                exchange = Exchange(scope, receive_of(body), Stop(), share)
                await Embeddings(*inference_of(threads, lane, cache_at(NOWHERE)))(exchange)
        finally:
            await lane.close()
            threads.close()

    with pytest.raises(DomainError) as refusal:
        asyncio.run(ask())
    return refusal.value


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_only_post_is_allowed(identity: Identity, method: str) -> None:
    assert refusal_of(identity, {}, method=method).code == "method_not_allowed"


def test_without_a_key_nobody_is_known() -> None:
    assert refusal_of(None, {"model": "embed", "input": "a"}).code == "not_authenticated"


def test_key_that_may_not_run_models_is_refused_before_its_body_is_read(identity: Identity) -> None:
    reading = replace(identity, scopes=frozenset({"jobs:read"}))
    assert refusal_of(reading, {"no": "request"}).code == "insufficient_scope"


def test_body_that_is_larger_than_is_read_or_is_encoded_is_refused(identity: Identity) -> None:
    long = {"model": "embed", "input": "a" * (8 << 20)}
    assert refusal_of(identity, long).code == "request_too_large"
    encoded = refusal_of(identity, {"model": "embed", "input": "a"}, encoding=b"gzip")
    assert encoded.code == "unsupported_media_type"


def test_model_of_another_kind_is_refused(identity: Identity, make_version: Callable[..., ModelVersion]) -> None:
    version = make_version(runtime="onnx")
    refusal = refusal_of(identity, {"model": version.served_model.name, "input": "a"})
    assert (refusal.code, refusal.extra) == ("model_type_mismatch", {"param": "model"})


def test_more_dimensions_than_the_model_has_are_refused(identity: Identity, version: ModelVersion) -> None:
    version.config = {"dimensions": 3}
    with operator_work():
        version.save()
    asked = {"model": version.served_model.name, "input": "a", "dimensions": 4}
    refusal = refusal_of(identity, asked)
    assert (refusal.code, refusal.extra) == ("invalid_request", {"param": "dimensions"})
    assert refusal.detail.startswith(f"'dimensions' is 4, but a vector of '{version.served_model.name}@1' has 3.")


def test_input_that_no_model_takes_is_the_inputs_fault(identity: Identity, version: ModelVersion) -> None:
    refusal = refusal_of(identity, {"model": version.served_model.name, "input": []})
    assert (refusal.code, refusal.extra) == ("input_empty", {"param": "input"})


def test_that_workers_cannot_be_asked_is_no_fields_fault(identity: Identity, version: ModelVersion) -> None:
    refusal = refusal_of(identity, {"model": version.served_model.name, "input": "a"})
    assert (refusal.code, refusal.extra) == (
        "inference_unavailable",
        {"gate": "workers", "retry_after_s": 1},
    )
