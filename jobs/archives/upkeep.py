"""The scheduler's duties for archives: it ends those that take too long, and forgets those that ended long ago."""

from datetime import timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from jobs.archives.claims import fail_waiting
from jobs.archives.services import forget
from jobs.core import archive_states as states
from jobs.core.models.archives import Archive
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.plans.retention import test_days_within

log = structlog.get_logger(__name__)
MOST = 200


def keep_up_archives() -> int:
    """End or forget archives and return their number. The work is bounded; the rest is left for the next round."""
    kept = timedelta(days=settings.MAAS_ARCHIVE_DAYS)
    with operator_work():
        late = _found(Archive.objects.filter(state=states.UNPACKING, created_at__lte=Now() - kept))
        ended = Archive.objects.exclude(state=states.UNPACKING).filter(mail_id=None)
        tests_kept = timedelta(days=test_days_within(settings.MAAS_ARCHIVE_DAYS))
        of_tests = Q(livemode=False, finished_at__lte=Now() - tests_kept)
        old = _found(ended.filter(Q(finished_at__lte=Now() - kept) | of_tests))
    return sum(_expire(*archive) for archive in late) + sum(_forget(*archive) for archive in old)


def _found(archives: "QuerySet[Archive]") -> list[tuple[UUID, UUID]]:
    return list(archives.order_by("created_at").values_list("tenant_id", "id")[:MOST])


def _expire(tenant_id: UUID, archive_id: UUID) -> bool:
    with unit_of_work(tenant_id):
        archive = _locked(archive_id)
        if archive is None or archive.state != states.UNPACKING:
            return False
        days = settings.MAAS_ARCHIVE_DAYS
        detail = f"The archive could not be unpacked within {days} days. Send the missing files again."
        fail_waiting(archive, code="archive_expired", detail=detail)
    log.info("archive_expired", archive_id=str(archive_id), tenant_id=str(tenant_id))
    return True


def _forget(tenant_id: UUID, archive_id: UUID) -> bool:
    with unit_of_work(tenant_id):
        archive = _locked(archive_id)
        if archive is None:
            return False
        forget(archive)
    return True


def _locked(archive_id: UUID) -> Archive | None:
    return Archive.objects.select_for_update(no_key=True, skip_locked=True).filter(id=archive_id).first()
