"""Builds and sends the response to a call: a result in the shape of a job's result, or a problem."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from inference.core.contracts import Json, WorkRefused
from inference.core.errors import DeadlinePassed, ModelFailed
from inference.fields.document import document_fields
from inference.pipelines.parse import FIELD_CANDIDATES
from jobs.core.states import FAILED, SUCCEEDED, Tally, closing_state
from jobs.documents.reader import DocumentRejected, ReaderUnavailable
from jobs.results.schema_version import SCHEMA_VERSION
from maas.web.errors.api_errors import CONTENT_TYPE, TITLES, problem
from tenants.core.asgi.protocol import Send
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
            **{name: value for name, value in self.result.items() if name != FIELD_CANDIDATES},
        }


def result_json(model: str, pages: Sequence[PageAnswer]) -> bytes:
    failed = sum(page.error is not None for page in pages)
    texts = [str(page.result["text"]) for page in pages if page.result.get("text")]
    body = {
        "object": "result",
        "schema_version": SCHEMA_VERSION,
        "state": closing_state(Tally(len(pages), succeeded=len(pages) - failed, failed=failed)),
        "model": model,
        "pages_total": len(pages),
        "pages_done": len(pages),
        "text": "\n\n".join(texts),
        "pages": [page.as_json() for page in pages],
        **_fields(pages),
    }
    # The JSON is ASCII only, so that half of a surrogate pair from a file cannot break the response.
    return json.dumps(body, allow_nan=False).encode()


def _fields(pages: Sequence[PageAnswer]) -> Mapping[str, Json]:
    """Return the fields of the document, or nothing if the model finds none."""
    candidates = [page.result.get(FIELD_CANDIDATES) for page in pages]
    found: Mapping[str, Json] = document_fields(candidates) if any(candidates) else {}
    return found


def problem_of(error: Exception) -> dict[str, object] | None:
    """Return the problem that describes an error, or None if the error is unexpected."""
    match error:
        case DomainError():
            return problem(error.code, error.detail, **error.extra)
        case WorkRefused() | DocumentRejected() | DeadlinePassed():
            return problem(error.code, error.detail)
        case ReaderUnavailable():
            detail = "Too many documents are being looked at. Try again."
            return problem(error.code, detail, retry_after_s=RETRY_AFTER_S)
        case ModelFailed():
            status = 503 if error.retryable else 500
            again = {"retry_after_s": RETRY_AFTER_S} if error.retryable else {}
            return {**problem(error.code, error.detail, **again), "status": status, "title": TITLES[status]}
    return None


def internal_error() -> dict[str, object]:
    return problem("internal_error", "Something went wrong on our side; the log has the details.")


log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    body: bytes
    content_type: str = "application/json"
    retry_after_s: object = None


def json_reply(value: Json, status: int = 200) -> Reply:
    return Reply(status, json.dumps(value).encode())


def refused(error: Exception, request: str) -> Reply:
    problem_body = problem_of(error)
    if problem_body is None:
        log.error("edge_call_crashed", exc_info=error)
        problem_body = internal_error()
    body = json.dumps({**problem_body, "request_id": request}).encode()
    return Reply(int(str(problem_body["status"])), body, CONTENT_TYPE, problem_body.get("retry_after_s"))


async def send_reply(reply: Reply, send: Send, request: str, *, hang_up: bool) -> None:
    """Send a reply. `hang_up` means that the body was not read, so the connection cannot carry another request."""
    headers = [
        (b"content-type", reply.content_type.encode()),
        (b"content-length", b"%d" % len(reply.body)),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-request-id", request.encode()),
    ]
    if reply.status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="maas-edge"'))
    if reply.retry_after_s is not None:
        headers.append((b"retry-after", str(reply.retry_after_s).encode()))
    if hang_up:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})
