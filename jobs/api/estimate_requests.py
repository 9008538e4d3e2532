"""Reads the body of `/v1/estimate`: amounts, or the same body as the job or call whose cost is requested."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from inference.core.contracts import Json
from inference.gateway.open_inference.faces import face_of
from inference.gateway.open_inference.infer import checked_work
from inference.gateway.open_inference.requests import read_request as read_infer
from inference.gateway.openai.embedding_request import read_request as read_embeddings
from inference.gateway.openai.embeddings import RUNTIME, check_dimensions
from inference.registry.errors import ModelKindDiffers
from inference.registry.selectors import find_version
from inference.runtime.parameters import TRUNCATE, work_kind
from jobs.submission.estimates import SynchronousCall
from tenants.core.errors import InvalidRequest
from tenants.core.messages import names_in_words

AMOUNTS = frozenset({"pages", "tokens", "calls", "gpu_milliseconds"})
_OF_JOBS = frozenset({"document", "document_url", "input"})
_OF_EMBEDDINGS = frozenset({"encoding_format", "dimensions", "user"})
_OF_INFER = frozenset({"id", "parameters", "inputs", "outputs"})


def call_reader(body: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], SynchronousCall] | None:
    """Return the function that reads this body as a synchronous call, or None if it is no such call."""
    if "inputs" in body:
        return infer_call
    if _OF_EMBEDDINGS & body.keys() or _holds_tokens(body.get("input")):
        return embeddings_call
    return None


def is_job(body: Mapping[str, Any]) -> bool:
    """Return whether this is the body of a job submission. A body with only a document is an amount as well; the
    estimate is the same.
    """
    return not AMOUNTS & body.keys() and bool(_OF_JOBS & body.keys())


def _holds_tokens(given: object) -> bool:
    return isinstance(given, list) and bool(given) and all(isinstance(one, int | list) for one in given)


def embeddings_call(body: Mapping[str, Any]) -> SynchronousCall:
    asked = read_embeddings(json.dumps(body).encode())
    version = find_version(asked.model)
    if version.runtime != RUNTIME:
        raise ModelKindDiffers(
            f"The model {version.served_model.name!r} has no text embeddings. Use another model."
        )
    check_dimensions(asked.dimensions, version.key, version.config)
    return SynchronousCall(version, asked.work, work_kind(asked.work), {TRUNCATE.name: False})


def infer_call(body: Mapping[str, Any]) -> SynchronousCall:
    """Read the call in a body with `model`. In the call itself the model is part of the path."""
    model = body.get("model")
    if not isinstance(model, str):
        raise InvalidRequest("`inputs` needs `model`: send the model name from the URL of the call.")
    unknown = sorted(body.keys() - _OF_INFER - {"model"})
    if unknown:
        raise InvalidRequest(f"Unknown fields for a call with `inputs`: {names_in_words(unknown)}.")
    version = find_version(model)
    written = json.dumps({name: value for name, value in body.items() if name != "model"}).encode()
    request = read_infer(written, len(written))
    face = face_of(version.runtime, version.served_model.accepts, version.signature)
    parameters: Mapping[str, Json] = request.parameters or {}
    return SynchronousCall(version, checked_work(face, request), face.asked, parameters)
