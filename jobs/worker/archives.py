"""Opens archives in a worker: one thread opens one archive after another, and another thread renews the lease."""

import threading
from contextlib import suppress

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError, close_old_connections

from jobs.archives.claims import ArchiveClaim, claim_archive, renew
from jobs.archives.unpacking import Lease
from jobs.documents.reading import reader
from jobs.worker.rounds import Rounds

log = structlog.get_logger(__name__)


class ArchiveWorker:
    """The archive thread of a worker process, which starts and stops it."""

    def __init__(self, worker: str) -> None:
        self._worker = worker
        self._rounds = Rounds("archives", self.work_once)

    def start(self) -> None:
        self._rounds.start()

    def stop(self, timeout_s: float) -> None:
        """Stop the thread. The entry under way is finished, or another worker begins it again."""
        self._rounds.stop(timeout_s)

    def work_once(self) -> bool:
        """Work on one archive. Return whether there was anything to do."""
        claim = claim_archive(self._worker)
        if claim is None:
            return False
        with _Lease(claim, self._rounds.stopping) as lease:
            outcome = Lease(claim, reader, lease.goes_on).take()
        log.info("archive_step_done", archive_id=str(claim.archive_id), outcome=outcome, attempt=claim.attempt)
        return True


class _Lease:
    """A lease that a separate thread renews, however long a document takes to open."""

    def __init__(self, claim: ArchiveClaim, stopping: threading.Event) -> None:
        self._claim = claim
        self._stopping = stopping
        self._lost = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew_on, name="archive-lease", daemon=True)

    def __enter__(self) -> "_Lease":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(settings.MAAS_LEASE_S)

    def goes_on(self) -> bool:
        return not self._lost and not self._stopping.is_set()

    def _renew_on(self) -> None:
        while not self._ended.wait(settings.MAAS_LEASE_S / 3):
            # The database may be restarting. The lease outlives two missed renewals, and every write checks it.
            with suppress(OperationalError, InterfaceError):
                self._lost = not renew(self._claim)
        close_old_connections()
