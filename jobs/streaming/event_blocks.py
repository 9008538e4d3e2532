"""The blocks of an event stream as the HTML standard defines them, the last with the final state of the job."""

import json
from collections.abc import Mapping
from typing import Any

from jobs.intake.inner_requests import Answer, job_in
from jobs.streaming.tails import Delivery

CLOSE = "close"
END = "end"
READY = "ready"
KEEP_ALIVE = b": keep-alive\n\n"


def block(
    *,
    name: str | None = None,
    position: str | int | None = None,
    data: bytes | None = None,
    retry_ms: int | None = None,
) -> bytes:
    """Return the bytes of one block. The client sends `position` as `Last-Event-ID` to continue after this block."""
    lines = []
    if retry_ms is not None:
        lines.append(b"retry: %d" % retry_ms)
    if position is not None:
        lines.append(b"id: %s" % str(position).encode())
    if name is not None:
        lines.append(b"event: %s" % name.encode())
    if data is not None:
        # A line break of any kind inside the data would end the field.
        lines += [b"data: " + line for line in data.splitlines() or [b""]]
    return b"\n".join(lines) + b"\n\n"


def ready_block(position: str | int | None, *, retry_ms: int) -> bytes:
    """Return the block with the position where a stream begins."""
    return block(name=READY, position=position, data=_json({"cursor": position}), retry_ms=retry_ms)


def event_block(delivery: Delivery) -> bytes:
    event = delivery.event
    return block(name=event["type"], position=delivery.cursor, data=_json(event))


def close_block(code: str, detail: str, *, retry_ms: int) -> bytes:
    """Return the block that says why the stream ends and when to connect again."""
    return block(name=CLOSE, data=_json({"code": code, "detail": detail}), retry_ms=retry_ms)


def _json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


AFTER_THE_END_MS = 3_600_000
"""The reconnect time after the end, in milliseconds, so that a forgotten page seldom connects again."""
AGAIN_MS = 2_000


def final_block(answer: Answer) -> bytes:
    """Return the last block: the job, or why it could not be read, which may have passed at the next try."""
    if job_in(answer) is not None:
        return block(name=END, data=answer.body, retry_ms=AFTER_THE_END_MS)
    try:
        problem = json.loads(answer.body)
        code, detail = str(problem["code"]), str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        code, detail = "internal_error", f"The job could not be read ({answer.status}). Connect again."
    return close_block(code, detail, retry_ms=AGAIN_MS)
