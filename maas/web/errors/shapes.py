"""Serializes a problem in the format of the protocol that its request used."""

from collections.abc import Mapping

from inference.gateway.gateway import EMBEDDINGS, is_call, is_grpc, is_open_inference
from maas.web.errors.api_errors import CONTENT_TYPE

JSON = "application/json"
OPENAI_LISTS = ("/v1/files", "/v1/batches")
OURS = "/v1"
_OPENAI_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


_NOT_PROCESSABLE, _BAD_REQUEST = 422, 400


def status_at(path: str, status: int) -> int:
    """Return the status. Both foreign protocols have a single status for everything that is wrong with a request."""
    return _BAD_REQUEST if status == _NOT_PROCESSABLE and (is_call(path) or is_openai(path)) else status


def is_openai(path: str) -> bool:
    """Say whether a path belongs to the addresses where the body of an error has only OpenAI's format."""
    return (
        path == EMBEDDINGS
        or path in OPENAI_LISTS
        or path.startswith(tuple(f"{one}/" for one in OPENAI_LISTS))
    )


def shaped(path: str, problem: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    """Return content type and body. Every format keeps the code and the request's ID."""
    if is_open_inference(path) or is_grpc(path):
        return JSON, {
            "error": problem["detail"],
            "code": problem["code"],
            "request_id": problem["request_id"],
        }
    if is_openai(path):
        return JSON, {"error": _openai_error(problem)}
    if path == OURS or path.startswith(f"{OURS}/"):
        # OpenAI's clients list models here, and request addresses that do not exist. They print the text in `error`.
        return CONTENT_TYPE, {**problem, "error": _openai_error(problem)}
    return CONTENT_TYPE, problem


def _openai_error(problem: Mapping[str, object]) -> dict[str, object]:
    status = int(str(problem["status"]))
    kind = _OPENAI_TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return {
        "message": problem["detail"],
        "type": kind,
        "param": problem.get("param"),
        "code": problem["code"],
        "request_id": problem["request_id"],
    }
