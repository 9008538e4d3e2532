"""Refuses a job of whoever was refused a moment ago for the age of the queue, before a thread is taken for it.

Of a form with a file that is seen while it arrives, in jobs/intake/uploads.py.
"""

import json
from typing import BinaryIO

from jobs.intake.intake import who_hands_in
from jobs.queue.admission import anybody_refused, refuse_known
from tenants.core.asgi.protocol import UPLOAD, Scope, header

JOBS = "/v1/jobs"
MOST_BYTES = 64 << 10
"""Of a larger body nothing is read here: to read it is work."""


def refuse_known_job(scope: Scope, body: BinaryIO, length: int) -> None:
    """Raises BacklogTooLong or QueueTooLong. What cannot be read, or comes with a key, is Django's to answer."""
    if not anybody_refused() or length > MOST_BYTES or scope["path"] != JOBS or UPLOAD in scope:
        return
    tenant_id = who_hands_in(scope)
    # With a key, what was accepted already is told, however long the queue is by now.
    if tenant_id is None or header(scope, b"idempotency-key") is not None:
        return
    fields = _fields(body)
    body.seek(0)
    refuse_known(tenant_id, fields)


def _fields(body: BinaryIO) -> dict[str, str]:
    try:
        asked = json.load(body)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(asked, dict):
        return {}
    fields = {name: asked[name] for name in ("model", "priority") if name in asked}
    return fields if all(isinstance(value, str) for value in fields.values()) else {}
