"""Makes and keeps the signed document that this cell gives to the others. Its version only grows."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction

from jobs.cells.directory import all_accounts, own_accounts
from jobs.cells.documents import FORMAT, Content, Document, digest_of, written
from jobs.cells.model_parts import model_parts
from jobs.cells.plans import plan_parts
from tenants.cells.models import CellExport
from tenants.cells.signatures import is_signed, sign
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
PURPOSE = "document"
"""The purpose for which documents are signed."""
_NOTHING_YET: Mapping[str, Any] = {"version": 0, "digest": "", "body": b"", "signature": b""}


def make_export() -> bool:
    """Make the document anew if its content has changed, and return whether it was. This is a duty of the scheduler."""
    cells = settings.MAAS_CELLS
    if not cells:
        return False
    with operator_work(), transaction.atomic(using=OPERATOR):
        # The content is read under the lock: another scheduler that waits here never gives older content.
        last, _ = CellExport.objects.select_for_update().get_or_create(pk=1, defaults=_NOTHING_YET)
        content = _content()
        digest = digest_of(content)
        if last.digest == digest and _is_ours(last):
            return False
        now = datetime.now(UTC)
        version = next_version(last.version, time.time())
        body = written(Document(FORMAT, cells.own, version, now, content))
        signature = sign(cells.secret, PURPOSE, body)
        values = {"version": version, "digest": digest, "body": body, "signature": signature, "made_at": now}
        CellExport.objects.filter(pk=1).update(**values)
    log.info("cell_export_made", version=version, bytes=len(body))
    return True


def next_version(last: int, now_s: float) -> int:
    """Return the next version: the time in milliseconds, so that a database restored from a backup goes on above it."""
    return max(last + 1, int(1000 * now_s))


def published_export() -> CellExport | None:
    """Return the document as it was signed. This is operator work."""
    return CellExport.objects.first()


def _content() -> Content:
    if settings.MAAS_CELLS.is_control:
        return Content(accounts=all_accounts(), plans=plan_parts(), models=model_parts())
    return Content(accounts=own_accounts())


def _is_ours(export: CellExport) -> bool:
    """Return whether it is signed with the present key of this cell."""
    here = settings.MAAS_CELLS.here
    return is_signed(here, PURPOSE, bytes(export.body), bytes(export.signature))
