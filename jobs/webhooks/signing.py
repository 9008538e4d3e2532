"""Signatures of the Standard Webhooks specification, and the secrets that make them."""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256

PREFIX = "whsec_"
VERSION = "v1"
MIN_BYTES, MAX_BYTES = 24, 64


def secret_of(salt: bytes, pepper: str) -> str:
    """Return a secret of 32 bytes. Computing it takes both the salt and the pepper, and the database holds only the
    salt.
    """
    return PREFIX + b64encode(hmac.digest(pepper.encode(), b"webhook secret\0" + salt, sha256)).decode()


def key_of(secret: str) -> bytes:
    key = b64decode(secret.removeprefix(PREFIX), validate=True)
    if not MIN_BYTES <= len(key) <= MAX_BYTES:
        raise ValueError(f"a secret is {MIN_BYTES} to {MAX_BYTES} bytes, this one {len(key)}")
    return key


def signature(secret: str, webhook_id: str, timestamp: int, body: bytes) -> str:
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    return f"{VERSION},{b64encode(hmac.digest(key_of(secret), signed, sha256)).decode()}"


def signed_headers(secrets: Sequence[str], *, webhook_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers with a signature by each secret. While a secret is rotated, receivers may hold either one."""
    signatures = (signature(secret, webhook_id, timestamp, body) for secret in secrets)
    return {
        "webhook-id": webhook_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signatures),
    }


def is_genuine(headers: Mapping[str, str], body: bytes, *, secret: str, now_s: float, tolerance_s: float = 300) -> bool:
    """Check a message as a receiver has to: a signature matches, and the message is neither old nor from the future."""
    webhook_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    # `isdecimal` alone would accept the digits of other alphabets.
    if not (timestamp.isascii() and timestamp.isdecimal()) or len(timestamp) > 12:
        return False
    if abs(now_s - int(timestamp)) > tolerance_s:
        return False
    wanted = signature(secret, webhook_id, int(timestamp), body).encode()
    offered = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(wanted, signature.encode()) for signature in offered)
