"""The scheduler's duty that erases due accounts, a bounded piece and transaction at a time.

It looks for what is left and remembers nothing, so it may die anywhere, and two at once do no harm.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any
from uuid import UUID

import structlog
from django.db import OperationalError, connections, transaction
from django.db.models.functions import Now

from inference.registry.erasing import erase_models
from jobs.archives.claims import fail_waiting
from jobs.batches import states as batch_states
from jobs.batches.models import Batch
from jobs.batches.settlement import close
from jobs.core import archive_states, states
from jobs.core.errors import JobErased, JobFinished
from jobs.core.models import FileToErase, Job
from jobs.core.models.archives import Archive
from jobs.deletion import tables
from jobs.search.services import meaning_available
from jobs.submission.cancellations import cancel_job
from jobs.uploads.models import ResumableUpload
from jobs.uploads.services import OPEN, State, end_upload
from tenants.accounts.models import Tenant
from tenants.authentication.selectors import acting_for
from tenants.billing.payments.cards import forget_card
from tenants.billing.payments.protocol import ProviderUnavailable
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tenants.deletion.services import NotClosing, begin_erasing, due_to_close, end_erasing

log = structlog.get_logger(__name__)
ROUND_S = 20.0
SOME = 50
ROWS = 500

_DELETE = """
WITH gone AS (
    DELETE FROM {table} WHERE ctid = ANY (ARRAY(
        SELECT one.ctid FROM {table} one WHERE one.tenant_id = %(tenant)s AND {unnamed} LIMIT %(most)s
    ))
    RETURNING {returned}
)
SELECT count(*), {files} FROM gone
"""


def erase_closed_tenants() -> int:
    """Erase due accounts and return how many are finished. The next round goes on with the rest."""
    with operator_work():
        found = due_to_close()
    until_s = time.monotonic() + ROUND_S
    return sum(_erase(tenant_id, until_s) for tenant_id in found if time.monotonic() < until_s)


def _erase(tenant_id: UUID, until_s: float) -> bool:
    """Erase an account and return whether all of it is erased. An error does not delay the erasure of others."""
    try:
        _begin(tenant_id)
        while (left := _erase_some(tenant_id)) and time.monotonic() < until_s:
            pass
        if left:
            return False
        with unit_of_work(tenant_id):
            if FileToErase.objects.exists():  # Another duty erases these files first.
                return False
        end_erasing(tenant_id=tenant_id)
    except Exception as error:
        if isinstance(error, OperationalError) and not connections[OPERATOR].is_usable():
            raise
        log.exception("tenant_not_erased", tenant_id=str(tenant_id))
        return False
    log.info("tenant_erased", tenant_id=str(tenant_id))
    return True


def _begin(tenant_id: UUID) -> None:
    """Begin to erase an account, once. The next check finds out if the deletion was withdrawn just now."""
    with operator_work(), suppress(NotClosing):
        begin_erasing(tenant_id=tenant_id)
    with operator_work():
        if Tenant.objects.get(id=tenant_id).state != Tenant.State.ERASING:
            raise NotClosing("it was taken back, or is erased")
    with suppress(ProviderUnavailable):  # nothing is taken from it any more, even if the provider does not know
        forget_card(tenant_id=tenant_id)


def _erase_some(tenant_id: UUID) -> bool:
    """Erase a piece and return whether there was anything. The first step that finds something does a piece of it."""
    return any(step(tenant_id) for step in _STEPS)


def _end_jobs(tenant_id: UUID) -> bool:
    """Cancel unfinished jobs. Their money is settled as for any job that is canceled."""
    with unit_of_work(tenant_id):
        found = list(Job.objects.filter(state__in=states.UNFINISHED).values_list("id", "livemode")[:SOME])
    for job_id, livemode in found:
        identity = acting_for(tenant_id, key_id=None, livemode=livemode, scopes=())
        with suppress(JobFinished, JobErased):
            cancel_job(identity=identity, job_id=job_id)
    return bool(found)


def _end_batches(tenant_id: UUID) -> bool:
    with unit_of_work(tenant_id):
        unfinished = Batch.objects.filter(status__in=batch_states.UNFINISHED)
        batch = unfinished.select_for_update(no_key=True).first()
        if batch is not None:
            close(batch, batch_states.CANCELLED)
            batch.save()
    return batch is not None


def _end_archives(tenant_id: UUID) -> bool:
    with unit_of_work(tenant_id):
        unpacking = Archive.objects.filter(state=archive_states.UNPACKING)
        archive = unpacking.select_for_update(no_key=True).first()
        if archive is not None:
            fail_waiting(archive, code="tenant_closing", detail="The account is deleted.")
    return archive is not None


def _end_uploads(tenant_id: UUID) -> bool:
    with unit_of_work(tenant_id):
        found = ResumableUpload.objects.filter(state__in=OPEN).select_for_update(no_key=True).first()
        if found is not None:
            end_upload(found, State.EXPIRED)
    return found is not None


def _empty_rows(tenant_id: UUID) -> bool:
    with operator_work():
        there = tables.WHERE_KEPT if meaning_available() else ()
    return any(_empty_some(tenant_id, name) for name in (*there, *tables.ROWS))


def _empty_some(tenant_id: UUID, table: str) -> bool:
    """Delete some rows of a table, named in this package alone, and order the erasure of their files."""
    values: dict[str, Any] = {"tenant": tenant_id, "most": ROWS}
    with transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
        columns = tables.FILES.get(table, ())
        files = ", ".join(f"array_agg({name}) FILTER (WHERE {name} <> '')" for name in columns)
        filled = {"returned": ", ".join(columns) or "1", "files": files or "NULL", "unnamed": _unnamed(table)}
        cursor.execute(_DELETE.format(table=table, **filled), values)
        number, *found = cursor.fetchone()
        with operator_work():
            _order(tenant_id, (name for some in found for name in some or ()))
    return bool(number)


def _erase_models(tenant_id: UUID) -> bool:
    """Erase all models of the account at once: no plan allows many."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        files = erase_models(tenant_id)
        _order(tenant_id, files)
    return bool(files)


def _order(tenant_id: UUID, files: Iterable[str]) -> None:
    """Order that these files are erased, in the transaction that deletes what they belong to."""
    due = [FileToErase(tenant_id=tenant_id, name=name, due_at=Now()) for name in files]
    FileToErase.objects.bulk_create(due, ignore_conflicts=True)


def _unnamed(table: str) -> str:
    """Return a condition for rows that no row of the same table points at, so that pointing rows go first."""
    column = tables.TO_OTHERS_OF_ITS_KIND.get(table)
    return f"NOT EXISTS (SELECT FROM {table} other WHERE other.{column} = one.id)" if column else "true"


_STEPS: tuple[Callable[[UUID], bool], ...] = (
    lambda tenant_id: any(_empty_some(tenant_id, name) for name in tables.FIRST),
    _end_jobs,
    _end_batches,
    _end_archives,
    _end_uploads,
    _empty_rows,
    _erase_models,
)
