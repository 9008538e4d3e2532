"""Serializes an event stream into blocks as the HTML standard defines them. This module is pure."""

import json
from collections.abc import Mapping
from typing import Any

from jobs.streaming.tails import Delivery

CLOSE = "close"
END = "end"
READY = "ready"
KEEP_ALIVE = b": keep-alive\n\n"


def block(
    *,
    name: str | None = None,
    place: str | int | None = None,
    data: bytes | None = None,
    retry_ms: int | None = None,
) -> bytes:
    """Return the bytes of one block. The client sends `place` as `Last-Event-ID` to continue after this block."""
    lines = []
    if retry_ms is not None:
        lines.append(b"retry: %d" % retry_ms)
    if place is not None:
        lines.append(b"id: %s" % str(place).encode())
    if name is not None:
        lines.append(b"event: %s" % name.encode())
    if data is not None:
        # A line break of any kind inside the data would end the field.
        lines += [b"data: " + line for line in data.splitlines() or [b""]]
    return b"\n".join(lines) + b"\n\n"


def ready_block(place: str | int | None, *, retry_ms: int) -> bytes:
    """Return the block with the position where a stream begins."""
    return block(name=READY, place=place, data=_json({"cursor": place}), retry_ms=retry_ms)


def event_block(delivery: Delivery) -> bytes:
    event = delivery.event
    return block(name=event["type"], place=delivery.cursor, data=_json(event))


def close_block(code: str, detail: str, *, retry_ms: int) -> bytes:
    """Return the block that says why the stream ends and when to connect again."""
    return block(name=CLOSE, data=_json({"code": code, "detail": detail}), retry_ms=retry_ms)


def _json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
