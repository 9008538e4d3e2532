"""Decides whether two requests are the same, by the caller's key and a fingerprint of the request."""

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
    "create_model",
    "create_model_version",
    "create_model_variant",
]
"""The operations, by the names that the description of the API gives them."""


def checked_key(raw: str | None) -> str | None:
    """Return the key if it is valid, or None if the caller sent no key."""
    if raw is None:
        return None
    if not 1 <= len(raw) <= LONGEST:
        raise InvalidRequest(f"The Idempotency-Key has {len(raw)} characters. Use 1 to {LONGEST}.")
    odd = next((character for character in raw if not " " <= character <= "~"), None)
    if odd is not None:
        raise InvalidRequest(
            f"The Idempotency-Key contains {odd!r}. Use printable ASCII characters only, for example a UUID."
        )
    return raw


@dataclass(frozen=True)
class KeyedRequest:
    """The values that decide which job a submission creates. A file counts by its content; its name is ignored."""

    model: str
    parameters: Mapping[str, Any]
    document_id: str | None
    content_sha256: str | None
    input: Mapping[str, Any] | None
    livemode: bool
    """Set if the API key is charged. A test must never be answered with a charged job, nor a charged request with a
    test.
    """
    priority: int = STANDARD
    deadlines: Deadlines = FOR_EVER
    webhook_url: str = ""
    document_url: str = ""
    attachments: bool = True
    class_set: str | None = None

    def fingerprint(self) -> str:
        values = asdict(self)
        # Fields with their default are left out, so that the fingerprint is the same as before these fields existed.
        if self.priority == STANDARD:
            del values["priority"]
        if not self.deadlines.given:
            del values["deadlines"]
        if not self.webhook_url:
            del values["webhook_url"]
        if not self.document_url:
            del values["document_url"]
        if self.attachments:
            del values["attachments"]
        if self.class_set is None:
            del values["class_set"]
        return fingerprint_of(values)


def fingerprint_of(values: Mapping[str, Any]) -> str:
    return sha256(json.dumps(values, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True)
class Sent:
    """A request that was sent with an idempotency key."""

    tenant_id: UUID
    operation: Operation
    key: str
    fingerprint: str
    livemode: bool = True
    hold_id: UUID | None = None
    """The id of the request's own hold, under which its document was fetched."""

    @property
    def kept_as(self) -> str:
        """Return the stored form of the key. No caller can send the form that is stored for tests: it begins with a
        character that no key may contain.
        """
        return self.key if self.livemode else f"\ttest {sha256(self.key.encode()).hexdigest()}"

    @property
    def lock_id(self) -> int:
        """Return the id of the lock that only one request with this key has at a time. With 64 bits, no two keys have
        the same id by accident.
        """
        digest = sha256(f"idempotency key of {self.tenant_id}: {self.kept_as}".encode()).digest()
        return int.from_bytes(digest[:8], "big", signed=True)


def require_same(now: Sent, operation: str, fingerprint: str) -> None:
    """Raise IdempotencyKeyReused if the requests differ. `operation` and `fingerprint` are the first request's."""
    if (now.operation, now.fingerprint) == (operation, fingerprint):
        return
    other = "a different request" if now.operation == operation else f"a different request ({operation})"
    raise IdempotencyKeyReused(
        f"The Idempotency-Key {now.key[:80]!r} was already used with {other}. Use a new key, or send "
        "exactly the first request again to get its response."
    )
