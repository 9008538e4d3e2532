"""The scheduler's duties for batches and files: it handles silent workers, ends what is past its time, and counts
batches.
"""

from datetime import timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import connections
from django.db.models import Q
from django.db.models.functions import Now

from jobs.batches import states
from jobs.batches.claims import take_from_silent_workers
from jobs.batches.metrics import UNFINISHED
from jobs.batches.models import Batch, BatchTask, StoredFile
from jobs.batches.notification import ring
from jobs.batches.services import erase_file
from jobs.batches.settlement import end_early
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tenants.plans.retention import FOR_EVER

log = structlog.get_logger(__name__)
MOST = 200
ANY_LATE = """EXISTS (SELECT FROM jobs_batchtask WHERE state = 'running' AND lease_until < statement_timestamp())
OR EXISTS (
    SELECT FROM jobs_batch
    WHERE status IN ('validating', 'in_progress') AND ending = '' AND expires_at <= statement_timestamp()
)"""
_COUNT = """
SELECT status, count(*) FROM jobs_batch WHERE status IN ('validating', 'in_progress', 'cancelling', 'finalizing')
GROUP BY status
"""


def keep_up_batches() -> None:
    lost = take_from_silent_workers()
    for task in lost:
        log.warning("batch_lease_expired", batch_id=str(task.batch_id), task_id=str(task.task_id), worker=task.worker)
    expired = expire_batches()
    if lost or expired:
        ring()


def expire_batches() -> int:
    """End the batches that are past their window and return their number. What they have done until then is kept."""
    with operator_work():
        late = Batch.objects.filter(status__in=states.CANCELLABLE, ending="", expires_at__lte=Now())
        found = list(late.values_list("tenant_id", "id")[:MOST])
    return sum(_expire(tenant_id, batch_id) for tenant_id, batch_id in found)


def _expire(tenant_id: UUID, batch_id: UUID) -> bool:
    with unit_of_work(tenant_id):
        batches = Batch.objects.select_for_update(no_key=True, skip_locked=True)
        batch = batches.filter(id=batch_id, status__in=states.CANCELLABLE, ending="").first()
        if batch is None:
            return False
        end_early(batch, states.EXPIRED)
    log.info("batch_expired", batch_id=str(batch_id), tenant_id=str(tenant_id))
    return True


def erase_expired_files() -> int:
    """Erase the expired files and return their number. Files that an unfinished batch still reads are left for another
    time.
    """
    with operator_work():
        in_use = Batch.objects.filter(status__in=states.UNFINISHED).values("input_file_id")
        late = StoredFile.objects.filter(~Q(id__in=in_use), expires_at__lte=Now())
        found = list(late.values_list("tenant_id", "id")[:MOST])
    return sum(_erase(tenant_id, file_id) for tenant_id, file_id in found)


def _erase(tenant_id: UUID, file_id: UUID) -> bool:
    with unit_of_work(tenant_id):
        stored = StoredFile.objects.select_for_update(no_key=True, skip_locked=True).filter(id=file_id).first()
        if stored is None or Batch.objects.filter(input_file_id=file_id, status__in=states.UNFINISHED).exists():
            return False
        erase_file(stored)
    return True


def forget_batches_of_tests() -> int:
    """Delete ended batches of tests and return their number. Their files are erased separately, and not later. What is
    left is handled in the next round.
    """
    days = settings.MAAS_KEEP_TEST_DAYS
    if days == FOR_EVER:
        return 0
    with operator_work():
        old = Batch.objects.filter(livemode=False, created_at__lte=Now() - timedelta(days=days))
        found = list(
            old.exclude(status__in=states.UNFINISHED).order_by("created_at").values_list("id", flat=True)[:MOST]
        )
        BatchTask.objects.filter(batch_id__in=found).delete()
        Batch.objects.filter(id__in=found).delete()
    return len(found)


def count_batches() -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_COUNT)
        found = dict(cursor.fetchall())
    for status in states.UNFINISHED:
        UNFINISHED.labels(status=status).set(found.get(status, 0))
