"""Decides how a page ends if its work did not: it fails, is tried again, put off or given back, in one transaction."""

import time
from collections.abc import Callable

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
    if isinstance(error, CallCanceled) and is_late(call):
        return _too_late(claim, error)
    return next(end for kinds, end in _ENDS if isinstance(error, kinds))(claim, error)


def is_late(call: Call) -> bool:
    return call.deadline_s is not None and time.monotonic() >= call.deadline_s


def _given_back(claim: Claim, error: Exception) -> End:
    def end() -> str:
        if hand_back(claim):
            return "handed_back"
        return "lease_lost" if is_wanted(claim) else "canceled"

    return end


def _too_late(claim: Claim, error: Exception) -> End:
    return _failed(claim, TOO_LATE, may_retry=True)


def _reader_busy(claim: Claim, error: Exception) -> End:
    """Postpone the page, however long this lasts: waiting for a reader says nothing about the page."""
    log.info("page_reader_busy", error=str(error))
    return lambda: postpone_page(claim, READER_BUSY, for_ever=True)


def _overloaded(claim: Claim, error: Exception) -> End:
    return _postponed(claim, OVERLOADED, error)


def _refused(claim: Claim, error: Exception) -> End:
    failure = Failure(error.code, error.detail)  # type: ignore[attr-defined]  # each of REFUSED has both
    return lambda: fail_page(claim, failure, may_retry=False)


def _model_failed(claim: Claim, error: Exception) -> End:
    assert isinstance(error, ModelFailed)
    return _failed(claim, Failure(error.code, error.detail), may_retry=error.retryable)


def _place_away(claim: Claim, error: Exception) -> End:
    """Postpone the page, for any time if the cause is the operator's: it says nothing about the page."""
    log.warning("page_postponed", error=str(error))
    for_ever = is_operators(error) or (
        isinstance(error, StorageUnavailable) and not isinstance(error, FileMissing)
    )
    return lambda: postpone_page(claim, PLACE_AWAY, for_ever=for_ever)


def _crashed(claim: Claim, error: Exception) -> End:
    log.error("page_crashed", exc_info=error)
    return lambda: fail_page(claim, OURS, may_retry=True)


def _failed(claim: Claim, failure: Failure, *, may_retry: bool) -> End:
    # The text of the failure is not logged, since it may quote the page. It is stored with the page and is erased with
    # it.
    log.warning("page_failed", code=failure.code, may_retry=may_retry)
    return lambda: fail_page(claim, failure, may_retry=may_retry)


def _postponed(claim: Claim, failure: Failure, error: Exception) -> End:
    """Postpone the page because of trouble that it did not cause. No attempt of the page is used up."""
    log.warning("page_postponed", error=str(error))
    return lambda: postpone_page(claim, failure)


_ENDS: tuple[tuple[tuple[type[Exception], ...], Callable[[Claim, Exception], End]], ...] = (
    ((CallCanceled,), _given_back),
    ((DeadlinePassed,), _too_late),
    ((ModelOverloaded,), _overloaded),
    ((ModelFailed,), _model_failed),
    ((WorkRefused, DocumentRejected, DocumentDeleted), _refused),
    ((ReaderUnavailable,), _reader_busy),
    ((StorageUnavailable, OperationalError, InterfaceError, OSError), _place_away),
    ((Exception,), _crashed),
)
"""The kinds of errors and the ends that they lead to. The first kind that matches is used."""
