"""Reads and checks the headers of the tus protocol, version 1.0.0."""

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs.documents.names import LONGEST, safe_name
from jobs.uploads.errors import TusVersionNotSupported
from tenants.core.errors import InvalidRequest
from tenants.core.messages import one_of

VERSION = "1.0.0"
EXTENSIONS = "creation,creation-with-upload,termination,expiration,checksum"
BYTES = "application/offset+octet-stream"
"""The only content type of a body that is bytes of an upload."""
DOCUMENT, MODEL = PURPOSES = ("document", "model")
MAX_DIGITS = 16
LONGEST_METADATA = 4096
LONGEST_TYPE = 255

ALGORITHMS: Mapping[str, Any] = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}
"""The checksum algorithms. Every server of this protocol must support sha1."""


@dataclass(frozen=True)
class Announced:
    """A file that the client is going to send."""

    name: str
    content_type: str
    size_bytes: int
    metadata: str = ""
    purpose: str = DOCUMENT


@dataclass(frozen=True)
class Checksum:
    algorithm: str
    digest: bytes


def require_version(sent: str | None) -> None:
    if sent != VERSION:
        problem = "was not sent" if sent is None else f"is {sent[:20]!r}"
        raise TusVersionNotSupported(
            f"The header Tus-Resumable {problem}. Use version {VERSION} of the tus protocol.",
            extra={"tus_version": VERSION},
        )


def read_announced(length: str | None, metadata: str | None) -> Announced:
    """Read the headers of a request that creates an upload."""
    if length is None:
        raise InvalidRequest(
            "Send the file size in bytes in the header Upload-Length. A deferred length is not supported."
        )
    values = read_metadata(metadata or "")
    name = values.get("filename") or values.get("name") or ""
    content_type = values.get("filetype") or values.get("type") or ""
    return Announced(
        safe_name(name)[:LONGEST],
        _printable(content_type),
        _number("Upload-Length", length),
        metadata or "",
        _purpose(values),
    )


def read_purpose(metadata: str | None) -> str:
    return _purpose(read_metadata(metadata or ""))


def read_offset(sent: str | None) -> int:
    if sent is None:
        raise InvalidRequest("Send the start of these bytes in the header Upload-Offset. HEAD returns the next offset.")
    return _number("Upload-Offset", sent)


def read_metadata(sent: str) -> dict[str, str]:
    """Return the names with their values, which are sent as base64 of UTF-8."""
    if len(sent) > LONGEST_METADATA:
        raise InvalidRequest(f"Upload-Metadata has {len(sent)} characters. Send at most {LONGEST_METADATA}.")
    values: dict[str, str] = {}
    for pair in sent.split(",") if sent.strip() else ():
        name, _, value = pair.strip().partition(" ")
        if not name or name in values:
            raise InvalidRequest(f"Duplicate or missing name in Upload-Metadata: {pair.strip()[:60]!r}.")
        values[name] = _decoded(name, value.strip())
    return values


def read_checksum(sent: str | None) -> Checksum | None:
    if sent is None:
        return None
    algorithm, _, encoded = sent.strip().partition(" ")
    if algorithm not in ALGORITHMS:
        raise InvalidRequest(f"Unknown algorithm {algorithm[:20]!r} in Upload-Checksum. Use {', '.join(ALGORITHMS)}.")
    try:
        digest = base64.b64decode(encoded.strip(), validate=True)
    except (binascii.Error, ValueError):
        digest = b""
    if len(digest) != ALGORITHMS[algorithm]().digest_size:
        raise InvalidRequest(f"Upload-Checksum is not a {algorithm} digest in base64.")
    return Checksum(algorithm, digest)


def _number(header: str, sent: str) -> int:
    if not sent.isascii() or not sent.isdecimal() or len(sent) > MAX_DIGITS:
        raise InvalidRequest(f"{header} is {sent[:30]!r}. Send a whole number of bytes, 0 or more.")
    return int(sent)


def _decoded(name: str, value: str) -> str:
    try:
        return base64.b64decode(value, validate=True).decode()
    except (binascii.Error, ValueError):
        raise InvalidRequest(
            f"The value of {name[:60]!r} in Upload-Metadata is not base64 of UTF-8 text: {value[:40]!r}."
        ) from None


def _purpose(values: Mapping[str, str]) -> str:
    purpose = values.get("purpose", DOCUMENT)
    if purpose not in PURPOSES:
        raise InvalidRequest(f"Unknown `purpose` {purpose[:40]!r} in Upload-Metadata. Use {one_of(PURPOSES)}.")
    return purpose


def _printable(text: str) -> str:
    return "".join(char for char in text if " " <= char <= "~")[:LONGEST_TYPE]
