"""Decides how a page ends if its work did not: it fails, is tried again, put off or given back, in one transaction."""

import time
from collections.abc import Callable
from functools import partial

import structlog
from django.db import InterfaceError, OperationalError

from inference.core.calls import Call
from inference.core.contracts import WorkRefused
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed, ModelOverloaded
from jobs.core.errors import DocumentDeleted, FileMissing, StorageUnavailable
from jobs.documents.reader import DocumentRejected, ReaderUnavailable
from jobs.queue.claims import Claim, hand_back, is_wanted
from jobs.queue.settlement import Failure, fail_page, postpone_page
from tenants.core.db.failures import is_operators

log = structlog.get_logger(__name__)
End = Callable[[], str]
"""A function that writes the end of a page and returns which it was. It is repeated without the work."""

OURS = Failure("internal_error", "An internal error occurred. Try again, or contact the operator.")
PLACE_AWAY = Failure("storage_unavailable", "The storage or database did not answer.")
READER_BUSY = Failure("reader_unavailable", "All document readers were busy. The page is queued again.")
OVERLOADED = Failure("model_overloaded", "The queue of the model was full. The page is queued again.")
TOO_LATE = Failure(
    "page_timeout",
    "The page took longer than this model allows. Send smaller pages or ask the operator for a higher limit.",
)


def end_of(claim: Claim, call: Call, error: Exception) -> End:
    """Return the end that an error leads to."""
    match error:
        case CallCanceled() if call.deadline_s is None or time.monotonic() < call.deadline_s:
            end: End = partial(_give_back, claim)
        case CallCanceled() | DeadlinePassed():
            end = _failed(claim, TOO_LATE, may_retry=True)
        case ModelOverloaded():
            end = _postponed(claim, OVERLOADED, error)
        case ModelFailed():
            end = _failed(claim, Failure(error.code, error.detail), may_retry=error.retryable)
        case WorkRefused() | DocumentRejected() | DocumentDeleted():
            end = partial(fail_page, claim, Failure(error.code, error.detail), may_retry=False)
        case ReaderUnavailable():
            # However long this lasts, waiting for a reader says nothing about the page.
            log.info("page_reader_busy", error=str(error))
            end = partial(postpone_page, claim, READER_BUSY, for_ever=True)
        case StorageUnavailable() | OperationalError() | InterfaceError() | OSError():
            # Trouble of the operator, such as a full disk, may last for any time: it says nothing about the page.
            of_storage = isinstance(error, StorageUnavailable) and not isinstance(error, FileMissing)
            end = _postponed(claim, PLACE_AWAY, error, for_ever=of_storage or is_operators(error))
        case _:
            log.error("page_crashed", exc_info=error)
            end = partial(fail_page, claim, OURS, may_retry=True)
    return end


def _give_back(claim: Claim) -> str:
    if hand_back(claim):
        return "handed_back"
    return "lease_lost" if is_wanted(claim) else "canceled"


def _failed(claim: Claim, failure: Failure, *, may_retry: bool) -> End:
    # The text of the failure is not logged, since it may quote the page. It is stored with the page and is erased with
    # it.
    log.warning("page_failed", code=failure.code, may_retry=may_retry)
    return partial(fail_page, claim, failure, may_retry=may_retry)


def _postponed(claim: Claim, failure: Failure, error: Exception, *, for_ever: bool = False) -> End:
    """Postpone the page because of trouble that it did not cause. No attempt of the page is used up."""
    log.warning("page_postponed", error=str(error))
    return partial(postpone_page, claim, failure, for_ever=for_ever)
