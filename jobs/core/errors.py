"""What can be wrong with a request about documents and jobs."""

from tenants.core.errors import DomainError


class DocumentNotAccepted(DomainError):
    code = "input_not_accepted"


class JobFinished(DomainError):
    code = "job_finished"


class JobNotFinished(DomainError):
    code = "job_not_finished"


class JobErased(DomainError):
    """It was there and ended, and what was in it is gone; what stays of it is told with this."""

    code = "job_erased"


class EventsErased(DomainError):
    """Whoever reads from there would miss some without a word."""

    code = "events_erased"


class TooMuchToErase(DomainError):
    """More than one request takes on; what it took on is done."""

    code = "more_to_erase"


class NothingToRetry(DomainError):
    code = "nothing_to_retry"


class TooManyUnfinishedJobs(DomainError):
    code = "too_many_unfinished_jobs"


class TooManyUnfinishedPages(DomainError):
    code = "too_many_unfinished_pages"


class BacklogTooLong(DomainError):
    """The tenant's own waiting pages come first, and take too long."""

    code = "backlog_too_long"


class QueueTooLong(DomainError):
    """Whoever came now would wait for too long."""

    code = "queue_too_long"


class IdempotencyKeyReused(DomainError):
    code = "idempotency_key_reused"


class RequestInProgress(DomainError):
    """Another request with the same Idempotency-Key is at work."""

    code = "request_in_progress"


class IdempotentResultGone(DomainError):
    """The key is known, and what its request made has been deleted since."""

    code = "idempotent_result_gone"


class DocumentDeleted(DomainError):
    code = "document_deleted"


FULL_PAUSE_S = 15
"""What a caller is told to wait where somebody has to make room first."""
AWAY_PAUSE_S = 5


class StorageUnavailable(DomainError):
    code = "storage_unavailable"


class FileMissing(StorageUnavailable):
    """Storage answers, and does not have a file that the database says it has."""

    code = "file_missing"


class Fenced(Exception):
    """Another worker holds this page by now, or it was canceled: whatever was done must not be written."""
