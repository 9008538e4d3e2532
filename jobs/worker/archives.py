"""Opens archives in a worker: one thread opens one archive after another, and another thread renews the lease."""

import threading

import structlog

from jobs.archives.claims import claim_archive, renew
from jobs.archives.unpacking import Lease
from jobs.documents.reading import reader
from jobs.worker.kept_lease import KeptLease
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
        lost = threading.Event()

        def goes_on() -> bool:
            return not lost.is_set() and not self._rounds.stopping.is_set()

        with KeptLease("archive-lease", lambda: renew(claim), lost.set):
            outcome = Lease(claim, reader, goes_on).take()
        log.info("archive_step_done", archive_id=str(claim.archive_id), outcome=outcome, attempt=claim.attempt)
        return True
