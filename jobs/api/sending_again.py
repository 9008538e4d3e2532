"""The two headers of requests that may be sent again: the caller's key, and whether the response is a replay."""

from typing import Any

from rest_framework.request import Request

from jobs.idempotency.idempotent_requests import Answered
from jobs.idempotency.keys import checked_key


def key_of(request: Request) -> str | None:
    return checked_key(request.headers.get("Idempotency-Key"))


def replay_headers(answered: Answered[Any]) -> dict[str, str]:
    return {"Idempotent-Replay": "true"} if answered.replayed else {}
