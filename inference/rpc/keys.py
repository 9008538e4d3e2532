"""Name the Redis keys of the RPC, and read an entry of a queue in the layout that the scripts use."""

import struct
from dataclasses import dataclass

from inference.rpc.errors import MessageMalformed

NAMESPACE = "maas:lane"
CANCEL_WORD = "lane_cancel"
UNSERVED = f"{NAMESPACE}-unserved"
"""The hash with the number of requests that came lately while no worker served their model, by model."""

TOKEN = b""
"""The token in a queue's `wake` list, which says that requests wait. Any other value in the list is an entry itself,
which arrived when nothing else waited.
"""

REQUEST_ID_CHARACTERS = 32
_HEAD = struct.Struct("<ddddH")


def lane_key(model_key: str) -> str:
    return f"{NAMESPACE}:{model_key}"


def wake_key(model_key: str) -> str:
    return f"{lane_key(model_key)}:wake"


def nudge_key(reader_id: str) -> str:
    """Return the key of the list through which a reader can be notified of new queues at once. The reader waits on this
    list too.
    """
    return f"{NAMESPACE}-nudge:{reader_id}"


def replies_key(client_id: str) -> str:
    return f"{NAMESPACE}-replies:{client_id}"


def claim_key(request_id: str, what: str) -> str:
    return f"{NAMESPACE}-claim:{request_id}:{what}"


def held_key(request_id: str) -> str:
    """Return the key that exists while a live worker holds the request."""
    return f"{NAMESPACE}-held:{request_id}"


def entry_name(request_id: str, tenant: str) -> str:
    """Return the name of an entry. The scripts find the tenant in it."""
    return f"{request_id}:{tenant}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A request as it is stored in its queue. Its times are in milliseconds of the Redis server's clock."""

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
