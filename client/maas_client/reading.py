"""The conversion of responses for the caller: JSON, or a typed error."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from maas_client.errors import (
    AuthenticationError,
    Conflict,
    ConnectionFailed,
    InvalidRequest,
    MaasError,
    NotFound,
    PermissionDenied,
    RateLimited,
    Unavailable,
)
from maas_client.exchange import Lost, Reply

_BY_STATUS: Mapping[int, type[MaasError]] = {
    401: AuthenticationError,
    403: PermissionDenied,
    404: NotFound,
    410: NotFound,
}


def json_of(reply: Reply) -> dict[str, Any]:
    body = _parsed(reply)
    if body is None:
        raise Unavailable(
            "What answers at this address is not the service: it did not send JSON. Look at MAAS_URL.",
            code="unexpected_answer",
            status=reply.status,
        )
    return body


def error_of(outcome: Reply | Lost | None) -> MaasError | None:
    """Return the error of an outcome, or None if the answer is good."""
    if not isinstance(outcome, Reply):
        why = outcome.why if outcome else "nothing was sent"
        return ConnectionFailed(f"The service cannot be reached: {why}", unsent=bool(outcome and outcome.unsent))
    return None if outcome.status < 300 else _refusal(outcome)


def _refusal(reply: Reply) -> MaasError:
    problem = _parsed(reply) or {}
    code = str(problem.get("code", f"http_{reply.status}"))
    detail = str(problem.get("detail", f"The answer was {_phrase(reply.status)}, without a reason."))
    request_id = str(problem.get("request_id", reply.headers.get("x-request-id", "")))
    status, retry_after_s = reply.status, _retry_after_s(reply)
    if status == 429:
        return RateLimited(detail, code=code, status=status, request_id=request_id, retry_after_s=retry_after_s)
    if status == 409:
        return Conflict(detail, code=code, status=status, request_id=request_id, retry_after_s=retry_after_s)
    if status in _BY_STATUS:
        return _BY_STATUS[status](detail, code=code, status=status, request_id=request_id)
    if 400 <= status < 500:
        return InvalidRequest(detail, code=code, status=status, request_id=request_id)
    # A redirect is no answer of the service either: its URL is not quite right.
    return Unavailable(detail, code=code, status=status, request_id=request_id, retry_after_s=retry_after_s)


def retry_after_of(reply: Reply) -> float:
    return _retry_after_s(reply) or 0.0


def _retry_after_s(reply: Reply) -> float | None:
    """Return the header's seconds. The other form of the header is a date, which the service does not use."""
    text = reply.headers.get("retry-after", "").strip()
    return float(text) if text.isdecimal() and len(text) < 10 else None


def _parsed(reply: Reply) -> dict[str, Any] | None:
    try:
        body = json.loads(reply.body)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _phrase(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
