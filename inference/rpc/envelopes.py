"""Wrap a request or reply in the fields that are needed to route it without reading its payload."""

import struct
from dataclasses import dataclass

from inference.rpc.errors import MessageMalformed
from inference.rpc.frames import VERSION, Buffer

_REQUEST = struct.Struct("<B?HH")
"""The version, whether the payload is included, and the lengths of the reply list's name and the coalesce key."""
_REPLY = struct.Struct("<B?32s")
LONGEST_COALESCE_KEY = 1000


@dataclass(frozen=True, slots=True)
class RequestEnvelope:
    replies: str
    """The list on which the client waits."""
    coalesce: str
    """The coalesce key. Requests of one tenant with the same key want the same answer; it is empty for requests that
    share no run.
    """
    payload: Buffer | None
    """The payload, or None if it is stored under a separate key."""


@dataclass(frozen=True, slots=True)
class ReplyEnvelope:
    request_id: str
    payload: Buffer | None


def write_request(envelope: RequestEnvelope) -> bytes:
    replies, coalesce = envelope.replies.encode(), envelope.coalesce.encode()
    if len(coalesce) > LONGEST_COALESCE_KEY:
        raise ValueError(f"a coalesce key of {len(coalesce)} bytes; use a digest")
    head = _REQUEST.pack(VERSION, envelope.payload is not None, len(replies), len(coalesce))
    return b"".join((head, replies, coalesce, envelope.payload or b""))


def read_request(message: memoryview) -> RequestEnvelope:
    try:
        version, is_here, replies, coalesce = _REQUEST.unpack_from(message)
        _check(version)
        start, middle = _REQUEST.size, _REQUEST.size + replies
        return RequestEnvelope(
            str(message[start:middle], "utf-8"),
            str(message[middle : middle + coalesce], "utf-8"),
            message[middle + coalesce :] if is_here else None,
        )
    except (struct.error, UnicodeDecodeError) as error:
        raise MessageMalformed(f"a request of {len(message)} bytes without its envelope: {error}") from error


def write_reply(envelope: ReplyEnvelope) -> bytes:
    head = _REPLY.pack(VERSION, envelope.payload is not None, envelope.request_id.encode())
    return head if envelope.payload is None else head + envelope.payload


def read_reply(message: bytes) -> ReplyEnvelope:
    try:
        version, is_here, request_id = _REPLY.unpack_from(message)
        _check(version)
        payload = memoryview(message)[_REPLY.size :] if is_here else None
        return ReplyEnvelope(request_id.decode(), payload)
    except (struct.error, UnicodeDecodeError) as error:
        raise MessageMalformed(f"a reply of {len(message)} bytes without its envelope: {error}") from error


def _check(version: int) -> None:
    if version != VERSION:
        raise MessageMalformed(f"a message of version {version}; this process reads version {VERSION}")
