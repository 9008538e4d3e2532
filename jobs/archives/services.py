"""Writes to archives that callers request."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections, transaction
from django.db.models.functions import Now

from jobs.archives.directory import read_members
from jobs.archives.errors import ArchiveFinished, TooManyArchives
from jobs.archives.members import Limits, Plan, plan, shown_name
from jobs.archives.selectors import get_archive
from jobs.class_sets.selectors import chosen_key
from jobs.core import archive_states as states
from jobs.core.models.archives import Archive, ArchiveEntry
from jobs.core.priorities import STANDARD
from jobs.documents import erasure, files
from jobs.documents.names import safe_name
from jobs.documents.uploads import Upload
from jobs.submission.services import check_model
from jobs.webhooks.job_urls import taken_url
from tenants.core.db.unit_of_work import APP, every_mode, unit_of_work
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity

LARGEST_SAID = 2**63 - 1
"""The largest size of an entry that is stored. An archive may claim any size; an entry that claims so much is never
unpacked.
"""
MAX_UNFINISHED = 20
"""The number of unfinished archives of one tenant. Their files are kept until they are unpacked."""
AGAIN_S = 30


@dataclass(frozen=True)
class ArchiveRequest:
    """A request to unpack an archive. Without a model, the entries only become documents."""

    model: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    priority: int = STANDARD
    webhook_url: str = ""
    class_set: str | None = None
    """The class set of the jobs. With None, it is the tenant's default set, and with an empty text none."""
    request_id: str = ""


def accept_archive(
    *,
    identity: Identity,
    upload: Upload,
    request: ArchiveRequest,
    also: Callable[[Archive], None] | None = None,
) -> Archive:
    """Accept an archive. Its directory is read here, so that errors of the whole archive are reported at once. A worker
    opens its entries.

    The archive is stored first on disk, then in the database. `also` writes what else belongs to it, in the same
    transaction.
    """
    model = check_model(identity, request.model, request.parameters).key if request.model else ""
    plans = _plans(identity, upload)
    archive = Archive(
        id=uuid7(),
        tenant_id=identity.tenant_id,
        name=safe_name(upload.filename),
        sha256=upload.sha256,
        size_bytes=upload.size_bytes,
        model=model,
        parameters=dict(request.parameters),
        priority=request.priority,
        livemode=identity.livemode,
        api_key_id=identity.key_id,
        request_id=request.request_id,
    )
    archive.file = f"tenants/{identity.tenant_id}/archives/{archive.id}/{upload.sha256}"
    with unit_of_work(identity):
        if model:
            archive.class_set = chosen_key(request.class_set, livemode=identity.livemode)
        _require_room(identity.tenant_id)
        erasure.order([archive.file], due_in=erasure.TIME_TO_KEEP)
    files.save_file(archive.file, upload.path)
    with unit_of_work(identity):
        _require_room(identity.tenant_id)
        erasure.withdraw(archive.file)
        archive.webhook_url = taken_url(identity, request.webhook_url)
        archive.save(force_insert=True)
        ArchiveEntry.objects.bulk_create(_entries(archive, plans), batch_size=500)
        if not any(plan.unpacks for plan in plans):
            finish(archive)
        if also:
            also(archive)
        archive.refresh_from_db()
    return archive


def cancel_archive(*, identity: Identity, archive_id: object) -> Archive:
    """Cancel an archive. This takes effect at once: no further entry is opened. Documents and jobs that were created
    stay.
    """
    with unit_of_work(identity):
        archive = get_archive(archive_id, for_update=True)
        if archive.state == states.CANCELED:
            return archive
        if archive.state != states.UNPACKING:
            raise ArchiveFinished(f"The archive has already ended ({archive.state}), so it cannot be canceled.")
        archive.entries.filter(state=states.WAITING).update(state=states.CANCELED)
        finish(archive, states.CANCELED)
        archive.refresh_from_db()
    return archive


def delete_archive(*, identity: Identity, archive_id: object) -> None:
    """Delete the rows of an archive and its file. Documents and jobs that were created from it stay."""
    with unit_of_work(identity):
        forget(get_archive(archive_id, for_update=True))


def forget(archive: Archive) -> None:
    """Delete an archive. The caller holds the lock of the row."""
    _let_go_of_file(archive)
    ArchiveEntry.objects.filter(archive=archive).delete()
    Archive.objects.filter(id=archive.id).delete()


def finish(archive: Archive, state: str = states.DONE, *, code: str = "", detail: str = "") -> None:
    """End an archive. The caller holds the lock of the row. The file of the archive is not needed any more."""
    Archive.objects.filter(id=archive.id).update(
        state=state,
        error_code=code,
        error_detail=detail[:500],
        waiting_code="",
        lease_token=None,
        lease_until=None,
        finished_at=Now(),
    )
    _let_go_of_file(archive)


def _let_go_of_file(archive: Archive) -> None:
    if archive.mail_id is not None:
        return  # The file of an email belongs to its document.
    erasure.order([archive.file])
    transaction.on_commit(partial(erasure.carry_out_now, archive.tenant_id, [archive.file]), using=APP, robust=True)


def _plans(identity: Identity, upload: Upload) -> list[Plan]:
    limits = Limits(
        entries=settings.MAAS_ARCHIVE_ENTRIES,
        entry_bytes=identity.limits.upload_bytes,
        total_bytes=settings.MAAS_ARCHIVE_UNPACKED_BYTES,
        ratio=settings.MAAS_ARCHIVE_RATIO,
    )
    return plan(read_members(upload.path, limits.entries), upload.size_bytes, limits)


def _entries(archive: Archive, plans: Sequence[Plan]) -> list[ArchiveEntry]:
    return [
        ArchiveEntry(
            tenant_id=archive.tenant_id,
            archive=archive,
            number=plan.member.number,
            name=shown_name(plan.member.name),
            size_bytes=min(plan.member.size_bytes, LARGEST_SAID),
            state=states.WAITING if plan.unpacks else states.SKIPPED if plan.skipped else states.FAILED,
            error_code=plan.fault.code if plan.fault else plan.skipped,
            error_detail=plan.fault.detail if plan.fault else "",
        )
        for plan in plans
    ]


def _require_room(tenant_id: UUID) -> None:
    """Raise TooManyArchives if the tenant has too many. Only one archive of a tenant is added at a time, until the
    transaction ends.
    """
    with connections[APP].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"archives of {tenant_id}"])
    with every_mode():
        unfinished = Archive.objects.filter(state=states.UNPACKING, mail_id=None).count()
    if unfinished >= MAX_UNFINISHED:
        raise TooManyArchives(
            f"This account is already unpacking {MAX_UNFINISHED} archives, the maximum. Wait until one is finished.",
            extra={"retry_after_s": AGAIN_S},
        )
