"""What makes two requests the same one: the caller's key, and a fingerprint of what was asked."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal
from uuid import UUID

from jobs.core.deadlines import FOR_EVER, Deadlines
from jobs.core.errors import IdempotencyKeyReused
from jobs.core.priorities import STANDARD
from tenants.core.errors import InvalidRequest

LONGEST = 255
Operation = Literal[
    "submit_job",
    "retry_job",
    "upload_document",
    "upload_file",
    "create_upload",
    "create_batch",
    "create_archive",
    "create_webhook_endpoint",
    "rotate_webhook_secret",
    "rotate_own_webhook_secret",
    "test_webhook_endpoint",
    "replay_webhook_delivery",
    "replay_webhook_deliveries",
    "create_payment",
]
"""By the names that the API's description gives them."""


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
    document_url: str = ""

    def fingerprint(self) -> str:
        asked = asdict(self)
        # As keys were kept before there were others.
        if self.priority == STANDARD:
            del asked["priority"]
        if not self.deadlines.given:
            del asked["deadlines"]
        if not self.webhook_url:
            del asked["webhook_url"]
        if not self.document_url:
            del asked["document_url"]
        return fingerprint_of(asked)


def fingerprint_of(asked: Mapping[str, Any]) -> str:
    return sha256(json.dumps(asked, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True)
class Sent:
    """A request that came under a key of its caller's."""

    tenant_id: UUID
    operation: Operation
    key: str
    fingerprint: str
    livemode: bool = True
    hold_id: UUID | None = None
    """Of its own, under which its document was fetched."""

    @property
    def kept_as(self) -> str:
        """No caller can send what the keys of tests are kept as: it begins with what no key may have."""
        return self.key if self.livemode else f"\ttest {sha256(self.key.encode()).hexdigest()}"

    @property
    def lock_id(self) -> int:
        """Of all that share this key, one at a time is at work. Among 64 bits no two keys are the same by accident."""
        digest = sha256(f"idempotency key of {self.tenant_id}: {self.kept_as}".encode()).digest()
        return int.from_bytes(digest[:8], "big", signed=True)


def require_same(now: Sent, operation: str, fingerprint: str) -> None:
    """`operation` and `fingerprint` are the first request's."""
    if (now.operation, now.fingerprint) == (operation, fingerprint):
        return
    other = "another request" if now.operation == operation else f"another request ({operation})"
    raise IdempotencyKeyReused(
        f"The Idempotency-Key {now.key[:80]!r} was sent before with {other}. Send a new key with a new request, or "
        "exactly the first request again for its answer."
    )
