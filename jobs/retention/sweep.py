"""Erases overdue documents and jobs as a task of the scheduler. Each is erased in its own transaction, and several
processes may do this at once.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

import structlog
from django.db import OperationalError
from django.db.models.functions import Now

from jobs.core import states
from jobs.core.errors import JobErased
from jobs.core.metrics import OVERDUE_S
from jobs.core.models import Document, ErasedReason, Job
from jobs.documents.erasure import Deadline
from jobs.documents.job_selectors import get_job
from jobs.retention.documents import erase_locked
from jobs.retention.due import Due, Kind, due, time_over
from jobs.retention.erasing import erase_ended, lock_document
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.errors import NotFound
from tenants.core.progress import SILENT, Progress
from tenants.plans.retention import Retention, retention_of_all

log = structlog.get_logger(__name__)
ROUND_S = 10.0
"""Seconds for each kind, so that no kind waits for the end of another."""
FILES_S = 0.2
"""Seconds to wait for the files of one document. What is left is erased by another duty."""


def erase_overdue(progress: Progress = SILENT) -> int:
    """Erase what is overdue and return its number. The work is bounded; what is left is handled in the next round."""
    with operator_work():
        retention = retention_of_all()
    return sum(_erase_some(kind, retention, time.monotonic() + ROUND_S, progress) for kind in _ERASE)


def _erase_some(kind: Kind, retention: Mapping[UUID, Retention], until_s: float, progress: Progress) -> int:
    erased = 0
    with operator_work():
        found = due(kind, retention)
    while found and time.monotonic() < until_s:
        gone = _erase_each(kind, found, until_s, progress)
        erased += gone
        with operator_work():
            found = due(kind, retention)
        if not gone:
            break
    OVERDUE_S.labels(kind=kind).set(max((item.overdue_s for item in found), default=0.0))
    return erased


def _erase_each(kind: Kind, found: Sequence[Due], until_s: float, progress: Progress) -> int:
    """Erase each item. An item that cannot be erased does not hold up the others."""
    erased = 0
    for item in found:
        if time.monotonic() > until_s:
            break
        progress.within(f"erased {erased:,} of the next {len(found):,} {kind}s")
        try:
            erased += _ERASE[kind](item)
        except OperationalError:
            raise
        except Exception:
            log.exception("retention_failed", kind=kind, id=str(item.id), tenant_id=str(item.tenant_id))
    return erased


def _erase_job(item: Due) -> bool:
    with unit_of_work(item.tenant_id):
        try:
            document = lock_document(get_job(item.id).document_id)
            job = get_job(item.id, for_update=True)
        except (JobErased, NotFound):
            return False
        erase_ended(job, document, ErasedReason.RETENTION)
    return True


def _erase_document(item: Due) -> bool:
    """Erase a document. It is checked again under its lock, since it may have been used just now."""
    with unit_of_work(item.tenant_id):
        old = Document.objects.filter(
            id=item.id, deleted_at=None, used_at__lte=Now() - time_over(item.days, "document")
        )
        document = old.select_for_update(no_key=True, skip_locked=True).first()
        if document is None or Job.objects.filter(document=document, state__in=states.UNFINISHED).exists():
            return False
        erase_locked(document, ErasedReason.RETENTION, Deadline(FILES_S))
    return True


_ERASE: Mapping[Kind, Callable[[Due], bool]] = {"document": _erase_document, "job": _erase_job}
