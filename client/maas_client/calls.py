"""Every call as a flow: the requests, the retries and the use of the answer, without sockets and sleeps."""

import json
import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Generic, Literal, TypedDict, TypeVar

from maas_client.errors import ConnectionFailed, JobFailed, MaasError, NotFound, Unavailable, WaitTimedOut
from maas_client.exchange import Flow, Pause, Reply, Request
from maas_client.job_filters import JobFilters, job_query
from maas_client.reading import error_of, json_of, retry_after_of
from maas_client.resources import Document, EventPage, Job, Page, Result, SearchHit
from maas_client.retries import Retries
from maas_client.sending import LARGE_BYTES, Sending
from maas_client.submissions import LONGEST_FETCH_S, Work, key_header, of_document, submission
from maas_client.tails import Tail
from maas_client.uploads import FilePart, Source
from maas_client.wait_budget import WaitBudget

T = TypeVar("T")
LONGEST_ROUND_S = 60.0
"""The longest wait in seconds that the service allows."""
TOLD_ROUND_S = 2.0
"""Seconds between two requests if the caller wants to be notified of progress."""
LONGEST_OUTAGE_S = 600.0
"""The longest outage of the service in seconds that a wait for a job survives."""
RESTART_S = 30.0
"""The seconds that a restart may take. Creating requests are sent again until then, with their key."""
LISTED = 100
SEARCHED = 20
"""The number of rows of a list, and of hits of a search, that a request fetches."""
DOWNLOADS = {
    "txt": "txt",
    "md": "md",
    "html": "html",
    "json": "json",
    "chunks": "chunks.jsonl",
    "jsonl": "chunks.jsonl",
    "pdf": "pdf",
    "csv": "csv",
    "xlsx": "xlsx",
}
"""The endings of files and names of formats, and what a result is called in the format."""
_WITHOUT_RESULT = frozenset({"failed", "canceled", "expired"})
Told = Callable[[Job], None]
Worry = Callable[[MaasError], None]
"""A callback that is called once, with the first error, in each outage that a call survives."""
Query = Mapping[str, str | int]


class Filters(TypedDict, total=False):
    """The options of a search."""

    by: Literal["words", "meaning"]
    document_class: str | None
    model: str | None
    since: date | None
    """The jobs submitted from this day or time on, in UTC unless it has a time zone."""
    before: date | None
    page_size: int
    """The number of hits that a request fetches: 20, at most 100."""


@dataclass(frozen=True)
class Part(Generic[T]):
    """A part of a list, with the flow that requests the next part."""

    items: list[T]
    more: "Flow[Part[T]] | None"


class Calls:
    def __init__(
        self,
        retries: Retries,
        *,
        worry: Worry | None = None,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._retries = retries
        self._worry = worry
        self.clock = clock
        self._jitter = jitter

    def with_retries(self, most: int) -> "Calls":
        return Calls(Retries(most), worry=self._worry, clock=self.clock, jitter=self._jitter)

    def ask(self, request: Request, *, outage_s: float = 0.0, within_s: float = math.inf) -> Flow[Reply]:
        """Return a good answer, after as many attempts as necessary.

        An outage of the service may last `outage_s`, but no longer than `within_s` from the start.
        """
        tried, over_at, outage_over_at = 0, self.clock() + within_s, math.inf
        while True:
            outcome = yield request
            error = error_of(outcome)
            if error is None and isinstance(outcome, Reply):
                return outcome
            assert error is not None
            outage_over_at = min(outage_over_at, self.clock() + outage_s)
            left_s = min(over_at, outage_over_at) - self.clock()
            yield Pause(self._delay_s(tried, error, request, left_s))
            tried, request = tried + 1, request.at_once()

    def _delay_s(self, tried: int, error: MaasError, request: Request, left_s: float) -> float:
        jitter = self._jitter()
        delay_s = self._retries.delay_s(tried, error, jitter=jitter, left_s=left_s)
        if delay_s is None:
            raise error
        if left_s <= 0:
            return delay_s
        if not tried and self._worry:
            self._worry(error)
        return min(delay_s, left_s)

    def body(self, request: Request) -> Flow[dict[str, Any]]:
        return json_of((yield from self.ask(request)))

    def shaped(self, request: Request, shape: Callable[[Mapping[str, Any]], T]) -> Flow[T]:
        return shape((yield from self.body(request)))

    def listed(
        self, path: str, query: Query, shape: Callable[[Mapping[str, Any]], T], by: str = "cursor"
    ) -> Flow[Part[T]]:
        body = yield from self.body(Request("GET", path, {"limit": LISTED, **query}))
        more = self.listed(path, {**query, by: body[f"next_{by}"]}, shape, by) if body["has_more"] else None
        return Part([shape(row) for row in body["data"]], more)

    # Jobs

    def submit(self, model: str, file: Source | None, work: Work) -> Flow[Job]:
        request = submission(model, file, work)
        if request.file is not None and request.file.size_bytes > LARGE_BYTES and not work.get("password"):
            document = yield from self.upload(request.file, None)
            request = submission(model, None, of_document(work, document.id))
        reply = yield from self.ask(request, outage_s=RESTART_S)
        return Job.from_json(json_of(reply))

    def run(self, model: str, file: Source | None, work: Work, wait_s: float | None) -> Flow[Result]:
        """Submit and wait in two steps, so that the job is known before the wait can fail."""
        budget = WaitBudget(self.clock, wait_s, LONGEST_ROUND_S)
        job = yield from self.submit(model, file, work)
        result = yield from self._waited(job.id, budget, None)
        if result.state in _WITHOUT_RESULT:
            raise JobFailed(result)
        return result

    def wait(self, job_id: str, timeout_s: float | None, told: Told | None) -> Flow[Result]:
        budget = WaitBudget(self.clock, timeout_s, TOLD_ROUND_S if told else LONGEST_ROUND_S)
        return (yield from self._waited(job_id, budget, told))

    def _waited(self, job_id: str, budget: "WaitBudget", told: Told | None) -> Flow[Result]:
        try:
            return (yield from self._rounds(job_id, budget, told))
        except (ConnectionFailed, Unavailable) as error:
            error.job_id = job_id
            raise

    def _rounds(self, job_id: str, budget: "WaitBudget", told: Told | None) -> Flow[Result]:
        """Request an answer at the end of the job, and repeat this until the job has ended."""
        while True:
            round_s = budget.round_s()
            requested_at = self.clock()
            held = {"Prefer": f"wait={round_s:.0f}"}
            request = Request("GET", f"/v1/jobs/{job_id}", headers=held, held_s=round_s)
            reply = yield from self.ask(request, outage_s=LONGEST_OUTAGE_S, within_s=budget.left_s())
            body = json_of(reply)
            job = Job.from_json(body)
            if told:
                told(job)
            if job.ended:
                return (yield from self._result_in(body))
            if budget.left_s() <= 0:
                raise WaitTimedOut(job, budget.waited_s())
            # If the answer was held back, that time counts toward the pause that it requests.
            early_s = retry_after_of(reply) - (self.clock() - requested_at)
            if early_s > 0:
                yield Pause(min(early_s, budget.left_s()))

    def _result_in(self, body: dict[str, Any]) -> Flow[Result]:
        if "result" in body:
            return Result.from_json(body)
        request = Request("GET", f"/v1/jobs/{body['id']}", {"include": "result"})
        return Result.from_json(json_of((yield from self.ask(request, outage_s=RESTART_S))))

    def job(self, job_id: str) -> Flow[Job]:
        return self.shaped(Request("GET", f"/v1/jobs/{job_id}"), Job.from_json)

    def result(self, job_id: str) -> Flow[Result]:
        request = Request("GET", f"/v1/jobs/{job_id}", {"include": "result"})
        return self.shaped(request, Result.from_json)

    def exported(self, job_id: str, kind: str) -> Flow[str]:
        return (yield from self.ask(Request("GET", f"/v1/jobs/{job_id}/result.{DOWNLOADS[kind]}"))).body.decode()

    def csv(self, job_id: str) -> Flow[str]:
        """Return the CSV without the mark at its beginning, which is for spreadsheets that open it as a file."""
        return (yield from self.exported(job_id, "csv")).removeprefix("\ufeff")

    def chunks(self, job_id: str) -> Flow[list[dict[str, Any]]]:
        return [json.loads(row) for row in (yield from self.exported(job_id, "chunks")).split("\n") if row]

    def download(self, job_id: str, path: Path, kind: str | None) -> Flow[Path]:
        suffix = kind or path.suffix.removeprefix(".").lower()
        if suffix not in DOWNLOADS:
            raise ValueError(f"A result comes as one of {', '.join(DOWNLOADS)}; {path.name!r} names none of them.")
        yield from self.ask(Request("GET", f"/v1/jobs/{job_id}/result.{DOWNLOADS[suffix]}", save_to=path))
        return path

    def cancel(self, job_id: str) -> Flow[Job]:
        return self.shaped(Request("POST", f"/v1/jobs/{job_id}/cancel"), Job.from_json)

    def retry(self, job_id: str, key: str | None) -> Flow[Job]:
        request = Request("POST", f"/v1/jobs/{job_id}/retry", headers=key_header(key))
        return Job.from_json(json_of((yield from self.ask(request, outage_s=RESTART_S))))

    def jobs(self, filters: JobFilters) -> Flow[Part[Job]]:
        return self.listed("/v1/jobs", job_query(filters), Job.from_json)

    def fields_file(self, path: Path, jobs: Sequence[str], filters: JobFilters) -> Flow[Path]:
        suffix = path.suffix.removeprefix(".").lower()
        if suffix not in ("csv", "xlsx"):
            raise ValueError(f"Fields come as csv or xlsx; {path.name!r} names none of them.")
        query = job_query(filters) | ({"jobs": ",".join(jobs)} if jobs else {})
        yield from self.ask(Request("GET", f"/v1/jobs/fields.{suffix}", query, save_to=path))
        return path

    def pages(self, job_id: str) -> Flow[Part[Page]]:
        return self.listed(f"/v1/jobs/{job_id}/pages", {}, Page.from_json, by="after")

    def search(self, words: str, filters: Filters) -> Flow[Part[SearchHit]]:
        since, before = filters.get("since"), filters.get("before")
        chosen: dict[str, str | int | None] = {
            "by": filters.get("by"),
            "class": filters.get("document_class"),
            "model": filters.get("model"),
            "from": since.isoformat() if since else None,
            "to": before.isoformat() if before else None,
            "limit": filters.get("page_size", SEARCHED),
        }
        query = {name: value for name, value in chosen.items() if value is not None}
        return self.listed("/v1/search", {"q": words, **query}, SearchHit.from_json)

    # Documents

    def upload(self, part: FilePart, key: str | None, password: str | None = None) -> Flow[Document]:
        """Upload a file. A large one is sent in parts, and a part that has arrived is not sent again.

        One with a password is sent whole, since the password goes with the file.
        """
        if part.size_bytes > LARGE_BYTES and not password:
            return (yield from self.sending(part).document(key))
        form = {"password": password} if password else {}
        request = Request("POST", "/v1/documents", form=form, file=part, headers=key_header(key))
        return Document.from_json(json_of((yield from self.ask(request, outage_s=RESTART_S))))

    def sending(self, part: FilePart) -> Sending:
        return Sending(part, ask=self.ask, clock=self.clock, jitter=self._jitter, worry=self._worry)

    def document_from_url(
        self, url: str, name: str | None, key: str | None, password: str | None = None
    ) -> Flow[Document]:
        wanted = {"url": url} | ({"name": name} if name else {}) | ({"password": password} if password else {})
        request = Request("POST", "/v1/documents", json=wanted, headers=key_header(key), held_s=LONGEST_FETCH_S)
        return Document.from_json(json_of((yield from self.ask(request, outage_s=RESTART_S))))

    def document(self, document_id: str) -> Flow[Document]:
        return self.shaped(Request("GET", f"/v1/documents/{document_id}"), Document.from_json)

    def documents(self) -> Flow[Part[Document]]:
        return self.listed("/v1/documents", {}, Document.from_json)

    def delete_document(self, document_id: str) -> Flow[None]:
        try:
            yield from self.ask(Request("DELETE", f"/v1/documents/{document_id}"))
        except NotFound as error:
            # The document was erased by the attempt whose answer was lost, or earlier, so the goal is reached.
            if error.code != "document_deleted":
                raise

    # Events

    def event_page(self, after: str | None, limit: int, wait_s: float) -> Flow[EventPage]:
        query: dict[str, str | int] = {"limit": limit} if after is None else {"limit": limit, "after": after}
        held_s = float(math.ceil(min(wait_s, LONGEST_ROUND_S)))
        prefer = {"Prefer": f"wait={held_s:.0f}"} if held_s > 0 else {}
        return self.shaped(Request("GET", "/v1/events", query, headers=prefer, held_s=held_s), EventPage.from_json)

    def socket_path(self, tail: Tail) -> Flow[str | None]:
        """Return the path and query of a websocket that opens once, or None if no more events can come."""
        if tail.job is not None:
            job = yield from self.job(tail.job)
            if job.ended and tail.passed(job.last_seq):
                return None
        return str((yield from self.body(Request("POST", "/v1/tickets")))["url"])

    def after_cut(self, tail: Tail, error: Exception) -> Flow[None]:
        yield Pause(tail.cut(error, self._jitter()))
