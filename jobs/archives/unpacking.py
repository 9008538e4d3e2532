"""Works on an archive for a limited time: entry after entry becomes a document, and a job if one is requested.

If the process dies here, nothing is left half done. The document of an entry and the end of the entry are written
together; or its job and its end are, and then its document is found again by its bytes.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError

from inference.core.calls import Call
from inference.core.contracts import WorkRefused
from inference.registry.errors import ModelPaused
from jobs.archives.claims import (
    MAX_DEATHS,
    ArchiveClaim,
    end_entry,
    fail_archive,
    fail_entry,
    finish_unpacking,
    locked,
    rest,
)
from jobs.archives.directory import EntryCorrupt, opened, unpack
from jobs.archives.errors import ArchiveRejected
from jobs.archives.members import nested
from jobs.attachments.services import OUTERMOST, Nesting, nesting_in, take_attachments, write_entries
from jobs.batches.blobs import scratch
from jobs.class_sets.selectors import kept_key
from jobs.core import archive_states as states
from jobs.core.errors import DocumentDeleted, FileMissing, LeaseLost, StorageUnavailable
from jobs.core.models.archives import Archive, ArchiveEntry
from jobs.documents import files
from jobs.documents.reader import Attachments, DocumentRejected, Inspection, ReaderUnavailable
from jobs.documents.selectors import bytes_are_here, get_document
from jobs.documents.services import StoredDocument, store_document
from jobs.documents.uploads import Upload
from jobs.submission.idempotent_submission import submit_with_document
from jobs.submission.services import JobRequest, submit_job
from tenants.authentication.selectors import acting_for
from tenants.billing.ledger.errors import PaymentRequired
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DatabaseUnavailable, DomainError
from tenants.identity.identity import Identity

log = structlog.get_logger(__name__)
TURN_S = 10.0
"""Seconds after which another archive is next, of another tenant if another tenant has one."""
PAUSE_S = 5.0
PAUSED_S = 30.0
NO_MONEY_S = 60.0
LONGEST_PAUSE_S = 300.0
_AWAY = (
    StorageUnavailable,
    ReaderUnavailable,
    DatabaseUnavailable,
    OperationalError,
    InterfaceError,
    OSError,
)
_OFFICE = (
    *(".docx", ".docm", ".dotx", ".dotm", ".xlsx", ".xlsm", ".xltx", ".xltm"),
    *(".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"),
    *(".odt", ".ods", ".odp", ".epub", ".jar", ".apk"),
)
"""The endings of files that are ZIP files inside, although their owners do not see them as such."""


Pieces = Callable[[ArchiveEntry], Iterator[bytes]]
"""Yields the bytes of an entry."""


class Reader(Protocol):
    def inspect(self, path: Path, call: Call) -> Inspection: ...

    def attachments(self, path: Path, call: Call) -> AbstractContextManager[Attachments]: ...


class _Postponed(Exception):
    """The archive pauses, because the problem may pass. Nothing of the entry is written."""

    def __init__(self, pause_s: float, code: str) -> None:
        super().__init__(code)
        self.pause_s = min(LONGEST_PAUSE_S, max(1.0, pause_s))
        self.code = code


@dataclass(frozen=True)
class Lease:
    claim: ArchiveClaim
    reader: Callable[[], Reader]
    goes_on: Callable[[], bool]
    """A function that returns False once the lease is lost or the process stops."""

    def take(self) -> str:
        """Work on the archive and return `done`, `failed`, `postponed`, `time_slice_ended` or `lease_lost`."""
        try:
            return self._take()
        except LeaseLost:
            return "lease_lost"
        except _Postponed as postponed:
            rest(self.claim, postponed.pause_s, postponed.code)
            return "postponed"
        except (FileMissing, ArchiveRejected, DocumentRejected, DocumentDeleted) as error:
            return self._fail(error.code, error.detail)
        except _AWAY as error:
            log.warning("archive_postponed", archive_id=str(self.claim.archive_id), error=str(error))
            rest(self.claim, PAUSE_S, "storage_unavailable")
            return "postponed"

    def _fail(self, code: str, detail: str) -> str:
        try:
            fail_archive(self.claim, code, detail)
        except LeaseLost:  # It was canceled or erased just now, and its file too.
            return "lease_lost"
        return "failed"

    def _take(self) -> str:
        archive = self._beginning()
        identity = self._identity(archive)
        with self._opened(identity, archive) as pieces:
            # However long the fetch took, at least one entry is done. Otherwise, a large archive would never progress.
            over_s = time.monotonic() + TURN_S
            for done, entry in enumerate(self._waiting(archive)):
                if not self.goes_on() or (done and time.monotonic() > over_s):
                    rest(self.claim)
                    return "time_slice_ended"
                self._open(identity, archive, pieces, entry)
        finish_unpacking(self.claim)
        return "done"

    @contextmanager
    def _opened(self, identity: Identity, archive: Archive) -> Iterator[Pieces]:
        if archive.mail_id is not None:
            with self._mail(identity, archive) as attachments:
                yield lambda entry: attachments.pieces(entry.number)
            return
        with files.local_file(archive.file) as path, opened(path, settings.MAAS_ARCHIVE_ENTRIES) as packed:
            yield lambda entry: unpack(packed, entry.number, entry.size_bytes)

    @contextmanager
    def _mail(self, identity: Identity, archive: Archive) -> Iterator[Attachments]:
        """Open the email of the archive, and list its attachments unless they are listed."""
        with unit_of_work(identity):
            mail = get_document(archive.mail_id)
        call = Call(tenant=str(identity.tenant_id))
        with files.local_file(mail.file) as path, self.reader().attachments(path, call) as attachments:
            with unit_of_work(identity):
                if not locked(self.claim).entries.exists():
                    write_entries(archive, attachments.found)
            yield attachments

    def _beginning(self) -> Archive:
        """Return the archive. The entry that stopped many workers, or the email that did, has failed then."""
        with unit_of_work(self.claim.tenant_id):
            archive = locked(self.claim)
        if self.claim.attempt > MAX_DEATHS:
            dead = next(iter(self._waiting(archive)), None)
            detail = "Every worker that unpacked the archive stopped before it was finished."
            if dead is not None:
                fail_entry(self.claim, dead.number, "worker_lost", detail)
            elif archive.mail_id is not None:
                raise ArchiveRejected("worker_lost", detail)
        return archive

    def _waiting(self, archive: Archive) -> list[ArchiveEntry]:
        with unit_of_work(self.claim.tenant_id):
            return list(archive.entries.filter(state=states.WAITING).order_by("number"))

    def _identity(self, archive: Archive) -> Identity:
        return acting_for(
            archive.tenant_id,
            key_id=archive.api_key_id,
            livemode=archive.livemode,
            scopes=("documents:write", "jobs:write"),
        )

    def _open(self, identity: Identity, archive: Archive, pieces: Pieces, entry: ArchiveEntry) -> None:
        try:
            self._keep(identity, archive, pieces, entry)
        except (LeaseLost, _Postponed, *_AWAY):
            raise
        except EntryCorrupt as error:
            fail_entry(self.claim, entry.number, code="entry_corrupt", detail=str(error))
        except (DocumentRejected, WorkRefused) as error:
            fail_entry(self.claim, entry.number, error.code, error.detail)
        except DomainError as error:
            if isinstance(error, PaymentRequired):
                # Jobs under way may give back money that they did not need, and credit may be granted.
                raise _Postponed(NO_MONEY_S, error.code) from error
            if isinstance(error, ModelPaused) or "retry_after_s" in error.extra:
                raise _Postponed(float(str(error.extra.get("retry_after_s", PAUSED_S))), error.code) from error
            fail_entry(self.claim, entry.number, error.code, error.detail)
        except Exception:
            log.exception("archive_entry_failed", archive_id=str(archive.id), entry=entry.number)
            detail = "An internal error occurred. Try again, or contact the operator."
            fail_entry(self.claim, entry.number, "internal_error", detail)

    def _keep(self, identity: Identity, archive: Archive, pieces: Pieces, entry: ArchiveEntry) -> None:
        with scratch() as file:
            for piece in pieces(entry):
                file.write(piece)
                if not self.goes_on():
                    raise _Postponed(0, "")
            upload = Upload(
                path=file.path,
                sha256=file.finish(),
                size_bytes=file.size_bytes,
                filename=entry.name,
                content_type="",
                mail_id=archive.mail_id,
            )
            _refuse_nested(upload, "an email" if archive.mail_id else "an archive")
            upload = replace(upload, inspection=self._look_at(identity, upload))
            if archive.model:
                self._submit(identity, archive, entry, upload)
            else:
                self._store(identity, archive, entry, upload)

    def _look_at(self, identity: Identity, upload: Upload) -> Inspection | DocumentRejected | None:
        """Inspect a document. Return None if the tenant has the same bytes already."""
        with unit_of_work(identity):
            if bytes_are_here(upload.sha256):
                return None
        try:
            return self.reader().inspect(upload.path, Call(tenant=str(identity.tenant_id)))
        except DocumentRejected as rejected:
            return rejected

    def _store(self, identity: Identity, archive: Archive, entry: ArchiveEntry, upload: Upload) -> None:
        def end(stored: StoredDocument) -> None:
            locked(self.claim)
            end_entry(self.claim, entry.number, document_id=stored.document.id)
            if stored.created:
                take_attachments(identity, stored.document, _nesting(archive))

        store_document(identity=identity, upload=upload, along=end)

    def _submit(self, identity: Identity, archive: Archive, entry: ArchiveEntry, upload: Upload) -> None:
        request = JobRequest(
            model=archive.model,
            parameters=archive.parameters,
            priority=archive.priority,
            webhook_url=archive.webhook_url,
            request_id=archive.request_id,
            attachments=_nesting(archive),
            class_set="",
        )

        def submit(whole: JobRequest) -> None:
            locked(self.claim)
            class_set = kept_key(archive.class_set, livemode=archive.livemode)
            job = submit_job(identity=identity, request=replace(whole, class_set=class_set))
            end_entry(self.claim, entry.number, document_id=job.document_id, job_id=job.id)

        submit_with_document(identity, request, upload, submit)


def _nesting(archive: Archive) -> Nesting:
    """Return the position of an email among the entries of the archive."""
    return OUTERMOST if archive.mail_id is None else nesting_in(archive)


def _refuse_nested(upload: Upload, inside: str) -> None:
    with upload.path.open("rb") as file:
        packed = file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
    if packed and not upload.filename.lower().endswith(_OFFICE):
        fault = nested(inside)
        raise DocumentRejected(fault.code, fault.detail)
