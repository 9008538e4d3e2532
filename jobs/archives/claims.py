"""Claims, renewals and ends of the work on archives. A token fences each statement."""

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db.models import F, QuerySet
from django.db.models.expressions import RawSQL

from jobs.archives.services import finish
from jobs.core import archive_states as states
from jobs.core.errors import LeaseLost
from jobs.core.models.archives import Archive, ArchiveEntry
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.leases import row_leases

MAX_DEATHS = 3
"""The number of workers that die on one entry before the entry is considered the cause."""

# Tenants take turns: the tenant with the least work under way comes first, then the tenant that was served longest ago.
# An expired lease may be taken too.
_NEXT = """
WITH active AS (
    SELECT tenant_id, count(*) FILTER (WHERE lease_until > clock_timestamp()) AS held, max(served_at) AS served_at
    FROM jobs_archive archive WHERE archive.state = 'unpacking' GROUP BY archive.tenant_id
)
SELECT archive.id FROM jobs_archive archive JOIN active USING (tenant_id)
JOIN tenants_tenant tenant ON tenant.id = archive.tenant_id
WHERE archive.state = 'unpacking' AND tenant.state = 'active' AND archive.run_after <= clock_timestamp()
    AND (archive.lease_until IS NULL OR archive.lease_until < clock_timestamp())
ORDER BY active.held, active.served_at NULLS FIRST, archive.served_at NULLS FIRST, archive.id
LIMIT 1 FOR NO KEY UPDATE OF archive SKIP LOCKED
"""


@dataclass(frozen=True)
class ArchiveClaim:
    """The right to work on an archive, as long as the lease is renewed and the token is the latest."""

    tenant_id: UUID
    archive_id: UUID
    token: int
    attempt: int
    file: str

    @property
    def held(self) -> "QuerySet[Archive]":
        """Return the row of the archive, while this claim holds it."""
        return Archive.objects.filter(id=self.archive_id, lease_token=self.token, state=states.UNPACKING)


def claim_archive(worker: str) -> ArchiveClaim | None:
    with operator_work():
        # Each worker asks once a second, nearly always in vain.
        if not Archive.objects.filter(state=states.UNPACKING).exists():
            return None
        rows = row_leases.take(
            Archive.objects.filter(id=RawSQL(_NEXT, ())),  # noqa: S611  # a constant
            "jobs_fencing_token",
            settings.MAAS_LEASE_S,
            "tenant_id, id, lease_token, attempt, file",
            attempt=F("attempt") + 1,
            worker=worker,
            served_at=row_leases.CLOCK,
            waiting_code="",
        )
    return ArchiveClaim(*rows[0]) if rows else None


def renew(claim: ArchiveClaim) -> bool:
    with operator_work():
        return row_leases.renew(claim.held, settings.MAAS_LEASE_S)


def rest(claim: ArchiveClaim, pause_s: float = 0.0, code: str = "") -> None:
    """Give the archive back, because the problem may pass or because others are next."""
    with operator_work():
        row_leases.release(claim.held, attempt=0, waiting_code=code, run_after=row_leases.after(pause_s))


def locked(claim: ArchiveClaim) -> Archive:
    """Return the row of the archive, locked until the transaction ends. Raises LeaseLost if another worker has it by
    now, or if it has ended.
    """
    found = claim.held.select_for_update(no_key=True).first()
    if found is None:
        raise LeaseLost(f"archive {claim.archive_id} is no longer held")
    return found


def end_entry(
    claim: ArchiveClaim,
    number: int,
    *,
    state: str = states.DONE,
    document_id: UUID | None = None,
    job_id: UUID | None = None,
    code: str = "",
    detail: str = "",
) -> None:
    """End an entry, in the unit of work that holds the archive, so that what is made for an entry is made once."""
    waiting = ArchiveEntry.objects.filter(archive_id=claim.archive_id, number=number, state=states.WAITING)
    ended = waiting.update(
        state=state, document_id=document_id, job_id=job_id, error_code=code, error_detail=detail[:500]
    )
    if ended != 1:
        raise LeaseLost(f"entry {number} of archive {claim.archive_id} has ended already")
    Archive.objects.filter(id=claim.archive_id).update(attempt=0)


def fail_entry(claim: ArchiveClaim, number: int, code: str, detail: str) -> None:
    with unit_of_work(claim.tenant_id):
        locked(claim)
        end_entry(claim, number, state=states.FAILED, code=code, detail=detail)


def finish_unpacking(claim: ArchiveClaim) -> None:
    with unit_of_work(claim.tenant_id):
        finish(locked(claim))


def fail_archive(claim: ArchiveClaim, code: str, detail: str) -> None:
    """Fail an archive. Every entry that still waits fails with the same error."""
    with unit_of_work(claim.tenant_id):
        fail_waiting(locked(claim), code, detail)


def fail_waiting(archive: Archive, code: str, detail: str) -> None:
    """Fail the waiting entries and the archive. The caller holds the lock of the row."""
    archive.entries.filter(state=states.WAITING).update(state=states.FAILED, error_code=code, error_detail=detail[:500])
    finish(archive, states.FAILED, code=code, detail=detail)
