"""Refuses a job of a caller that was refused a moment ago for the age of the queue, before a thread is taken for it.

A form with a file is checked while it arrives, in jobs/intake/uploads.py.
"""

import json
from typing import BinaryIO

from jobs.intake.intake import who_hands_in
from jobs.queue.admission import anybody_refused, refuse_known
from tenants.core.asgi.protocol import UPLOAD, Scope, header

JOBS = "/v1/jobs"
MAX_BYTES = 64 << 10
"""The size of the largest body that is read here. Reading a larger body is too much work."""


def refuse_known_job(scope: Scope, body: BinaryIO, length: int) -> None:
    """Refuse the job if its caller was refused a moment ago. Raises BacklogTooLong or QueueTooLong. A body that cannot
    be read, or a request with an idempotency key, is left to Django.
    """
    if not anybody_refused() or length > MAX_BYTES or scope["path"] != JOBS or UPLOAD in scope:
        return
    tenant_id = who_hands_in(scope)
    # A request with a key gets the job that was accepted earlier, however long the queue is by now.
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
