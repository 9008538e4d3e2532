"""What makes two submissions the same one: the caller's key, and a fingerprint of what was asked."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from jobs.deadlines import FOR_EVER, Deadlines
from jobs.errors import IdempotencyKeyReused, InvalidRequest
from jobs.priorities import STANDARD

LONGEST = 255


def checked_key(raw: str | None) -> str | None:
    """None when the caller sent no key."""
    if raw is None:
        return None
    if not 1 <= len(raw) <= LONGEST:
        raise InvalidRequest(f"Idempotency-Key has {len(raw)} characters; send 1 to {LONGEST}.")
    odd = next((character for character in raw if not " " <= character <= "~"), None)
    if odd is not None:
        raise InvalidRequest(
            f"Idempotency-Key holds {odd!r}; send printable ASCII characters only, for example a UUID."
        )
    return raw


@dataclass(frozen=True)
class Asked:
    """All that decides which job a submission makes. Of a file it is the content; its name is not looked at."""

    model: str
    parameters: Mapping[str, Any]
    document_id: str | None
    content_sha256: str | None
    input: Mapping[str, Any] | None
    livemode: bool
    """Whether the key charges: a test must never be answered with a charged job, nor the other way round."""
    priority: int = STANDARD
    deadlines: Deadlines = FOR_EVER
    webhook_url: str = ""

    def fingerprint(self) -> str:
        asked = asdict(self)
        # As keys were kept before there were others.
        if self.priority == STANDARD:
            del asked["priority"]
        if not self.deadlines.given:
            del asked["deadlines"]
        if not self.webhook_url:
            del asked["webhook_url"]
        return sha256(json.dumps(asked, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def require_same(key: str, first: str, now: str) -> None:
    if first != now:
        raise IdempotencyKeyReused(
            f"The Idempotency-Key {key[:80]!r} was sent before with another request. Send a new key for a new job, "
            "or exactly the first request again for its job."
        )
