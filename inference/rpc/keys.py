"""How the lane's keys in Redis are named, and an entry of a lane as the scripts lay it out."""

import struct
from dataclasses import dataclass

from inference.rpc.errors import MessageMalformed

NAMESPACE = "maas:lane"
CANCEL_WORD = "lane_cancel"

TOKEN = b""
"""In a lane's wake list: something waits. Anything else there is an entry itself, come while nothing waited."""

REQUEST_ID_CHARACTERS = 32
_HEAD = struct.Struct("<ddddH")


def lane_key(model_key: str) -> str:
    return f"{NAMESPACE}:{model_key}"


def wake_key(model_key: str) -> str:
    return f"{lane_key(model_key)}:wake"


def nudge_key(reader_id: str) -> str:
    """Its reader waits on it too, so that it can be told of new lanes at once."""
    return f"{NAMESPACE}-nudge:{reader_id}"


def replies_key(client_id: str) -> str:
    return f"{NAMESPACE}-replies:{client_id}"


def claim_key(request_id: str, what: str) -> str:
    return f"{NAMESPACE}-claim:{request_id}:{what}"


def held_key(request_id: str) -> str:
    """There while a worker that lives has the request."""
    return f"{NAMESPACE}-held:{request_id}"


def entry_name(request_id: str, tenant: str) -> str:
    """The scripts find the tenant in it."""
    return f"{request_id}:{tenant}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A request as it lies in its lane; times in milliseconds of the Redis server's clock."""

    raw: bytes
    arrived_ms: float
    deadline_ms: float
    request_id: str
    tenant: str
    message: memoryview


def read_entry(raw: bytes) -> Entry:
    try:
        arrived_ms, deadline_ms, _cost, _size, length = _HEAD.unpack_from(raw)
        name = raw[_HEAD.size : _HEAD.size + length].decode()
    except (struct.error, UnicodeDecodeError) as error:
        raise MessageMalformed(f"an entry of {len(raw)} bytes has no readable head: {error}") from error
    request_id, colon, tenant = name.partition(":")
    if not colon or len(request_id) != REQUEST_ID_CHARACTERS:
        raise MessageMalformed(f"an entry is named {name[:80]!r}, not by a request and a tenant")
    return Entry(raw, arrived_ms, deadline_ms, request_id, tenant, memoryview(raw)[_HEAD.size + length :])
