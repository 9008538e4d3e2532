"""The errors of requests about documents and jobs."""

from tenants.core.errors import DomainError


class DocumentNotAccepted(DomainError):
    code = "input_not_accepted"


class JobFinished(DomainError):
    code = "job_finished"


class JobNotFinished(DomainError):
    code = "job_not_finished"


class NotRead(DomainError):
    """The page has no result that could be corrected."""

    code = "page_not_read"


class JobErased(DomainError):
    """The job existed and ended, and its content has been erased. The error carries what is left of it."""

    code = "job_erased"


class EventsErased(DomainError):
    """Events before the requested position were erased. A client that reads on would miss them unnoticed."""

    code = "events_erased"


class ErasureIncomplete(DomainError):
    """The request would erase more than a single request handles. What it handled is done."""

    code = "erasure_incomplete"


class NothingToRetry(DomainError):
    code = "nothing_to_retry"


class TooManyUnfinishedJobs(DomainError):
    code = "too_many_unfinished_jobs"
    gate = "unfinished_jobs"


class TooManyUnfinishedPages(DomainError):
    code = "too_many_unfinished_pages"
    gate = "unfinished_pages"


class BacklogTooLong(DomainError):
    """The tenant's own waiting pages come first, and take too long."""

    code = "backlog_too_long"
    gate = "own_backlog"


class QueueTooLong(DomainError):
    """Any caller that comes now would wait for too long."""

    code = "queue_too_long"
    gate = "queue_age"


class IdempotencyKeyReused(DomainError):
    code = "idempotency_key_reused"


class RequestInProgress(DomainError):
    """Another request with the same Idempotency-Key is in progress."""

    code = "request_in_progress"


class IdempotentResultGone(DomainError):
    """The key is known, but what its request created has been deleted since."""

    code = "idempotent_result_gone"


class DocumentDeleted(DomainError):
    code = "document_deleted"


class RangeNotSatisfiable(DomainError):
    """The requested bytes lie behind the end of the file. `extra` has its `size_bytes`."""

    code = "range_not_satisfiable"


FULL_PAUSE_S = 15
"""Seconds that a caller is asked to wait if an operator or user must free capacity first."""
AWAY_PAUSE_S = 5


class StorageUnavailable(DomainError):
    code = "storage_unavailable"
    gate = "file_storage"


class FileMissing(StorageUnavailable):
    """Storage answers, but does not have a file that the database says it has."""

    code = "file_missing"
    gate = ""


class LeaseLost(Exception):
    """Another worker holds this page by now, or the page was canceled. Nothing of the work may be written."""
