"""Builds the response to a call: a result in the shape of a job's result, or a problem."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from inference.core.contracts import Json, WorkRefused
from inference.core.errors import DeadlinePassed, ModelFailed
from jobs.core.states import FAILED, SUCCEEDED, Tally, closing_state
from jobs.documents.reader import DocumentRejected, ReaderUnavailable
from maas.web.errors.api_errors import TITLES, status_of
from tenants.core.errors import DomainError

RETRY_AFTER_S = 2


@dataclass(frozen=True, slots=True)
class PageAnswer:
    number: int
    result: Mapping[str, Json] = field(default_factory=dict)
    error: Mapping[str, str] | None = None
    timings: Mapping[str, Json] = field(default_factory=dict)

    def as_json(self) -> dict[str, Json]:
        return {
            "number": self.number,
            "state": FAILED if self.error else SUCCEEDED,
            "error": self.error,
            "timings": self.timings,
            **self.result,
        }


def result_json(model: str, pages: Sequence[PageAnswer]) -> bytes:
    failed = sum(page.error is not None for page in pages)
    texts = [str(page.result["text"]) for page in pages if page.result.get("text")]
    body = {
        "object": "result",
        "state": closing_state(Tally(len(pages), succeeded=len(pages) - failed, failed=failed)),
        "model": model,
        "pages_total": len(pages),
        "pages_done": len(pages),
        "text": "\n\n".join(texts),
        "pages": [page.as_json() for page in pages],
    }
    # The JSON is ASCII only, so that half of a surrogate pair from a file cannot break the response.
    return json.dumps(body, allow_nan=False).encode()


def problem_of(error: Exception) -> dict[str, object] | None:
    """Return the problem that describes an error, or None if the error is unexpected."""
    match error:
        case DomainError():
            return _problem(status_of(error.code), error.code, error.detail, **error.extra)
        case WorkRefused() | DocumentRejected():
            return _problem(status_of(error.code), error.code, error.detail)
        case ReaderUnavailable():
            words = "Too many documents are being looked at. Try again."
            return _problem(503, error.code, words, retry_after_s=RETRY_AFTER_S)
        case DeadlinePassed():
            return _problem(504, error.code, error.detail)
        case ModelFailed():
            status = 503 if error.retryable else 500
            again = {"retry_after_s": RETRY_AFTER_S} if error.retryable else {}
            return _problem(status, error.code, error.detail, **again)
    return None


def internal_error() -> dict[str, object]:
    return _problem(500, "internal_error", "Something went wrong on our side; the log has the details.")


def _problem(status: int, code: str, detail: str, **extra: object) -> dict[str, object]:
    return {
        "type": f"/errors/{code}",
        "title": TITLES[status],
        "status": status,
        "code": code,
        "detail": detail,
        **extra,
    }
