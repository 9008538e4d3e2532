"""Runs one page: claims it, reads it, runs the model, and writes the end. The database decides what is true."""

import time
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

import structlog
from django.db import InterfaceError, OperationalError

from inference.core.calls import Call
from inference.core.contracts import VersionSpec, WorkInput, WorkOutput
from inference.core.spent import Spent
from inference.engine.engine import Engine
from inference.runtime.load_watch import watching_loads
from inference.workers.placement.relative_costs import RelativeCosts
from jobs.core.errors import LeaseLost, StorageUnavailable
from jobs.core.models import Document
from jobs.core.priorities import WEIGHTS
from jobs.documents.content import file_content_sha256
from jobs.documents.pages import open_page
from jobs.documents.reader import DocumentRejected
from jobs.documents.too_complex_pages import CODE
from jobs.queue.claims import Claim, claim_page
from jobs.queue.release import release_after_commit
from jobs.queue.settlement import Failure, Timings, fail_page, finish_page
from jobs.queue.too_complex_failures import fail_too_complex
from jobs.results.reuse.cached_pages import COALESCED, HIT, MISS, PAGE_LOOKUPS, Content
from jobs.results.reuse.running import Plan, look, plan_for, take_known_page, wait_for_it
from jobs.submission.inputs import work_input
from jobs.worker.database_outage import while_database_is_away
from jobs.worker.isolated_tries import MayApart, OneApart
from jobs.worker.leases import Leases
from jobs.worker.load_notices import LoadNews
from jobs.worker.metrics import PAGE_SECONDS, PAGE_WAIT_SECONDS, PAGES
from jobs.worker.page_ends import OURS, End, end_of
from jobs.worker.storage_pause import StoragePause, is_of_document, put_off_for_storage
from jobs.worker.versions import VersionCatalog
from tenants.core.db.failures import may_pass

log = structlog.get_logger(__name__)
CLAIM_TIMEOUT_S = 30.0
"""Seconds in which a page is to be claimed. After them, another message for the page is under way."""


@dataclass(frozen=True)
class _Opened:
    work: WorkInput
    sha256: str
    """The digest of what the model looks at. It is empty if that is known without opening the page."""


@dataclass(frozen=True)
class PageRunner:
    engine: Engine
    leases: Leases
    versions: VersionCatalog
    worker: str
    news: LoadNews = field(default_factory=LoadNews)
    apart: OneApart = field(default_factory=OneApart)
    hefts: RelativeCosts = field(default_factory=RelativeCosts)
    storage: StoragePause = field(default_factory=StoragePause)

    def run(self, *, tenant_id: UUID, page_id: UUID, pool: str = "") -> None:
        """Run the page of a message. A message makes no dead letter, however long the database is away."""
        try:
            with self.apart.claimed(lambda may_apart: self._claim(tenant_id, page_id, pool, may_apart)) as claim:
                if claim is not None:
                    self._run(claim)
        except (OperationalError, InterfaceError) as error:
            # No notification is needed: the page is announced again when its notification or its lease has ended.
            log.warning("page_abandoned", page_id=str(page_id), error=str(error).strip())

    def _run(self, claim: Claim) -> None:
        key, started = claim.model_key, time.perf_counter()
        PAGE_WAIT_SECONDS.labels(model=key).observe(claim.waited_s)
        with (
            structlog.contextvars.bound_contextvars(job_id=str(claim.job_id), page=claim.number, model=key),
            self.leases.held(claim) as call,
        ):
            outcome = self._settle(claim, call)
            seconds = time.perf_counter() - started
            if outcome in (HIT, COALESCED):
                PAGE_LOOKUPS.labels(model=key, outcome=outcome).inc()
            log.info("page_done", outcome=outcome, ms=round(seconds * 1000), attempt=claim.attempt)
        PAGES.labels(model=key, outcome=outcome).inc()
        PAGE_SECONDS.labels(model=key).observe(seconds)
        release_after_commit(claim.model_version_id, claim.engine_key)

    def _claim(self, tenant_id: UUID, page_id: UUID, pool: str, may_apart: MayApart) -> Claim | None:
        give_up_at = time.monotonic() + CLAIM_TIMEOUT_S

        def claimed(*, documents: bool) -> Claim | None:
            return claim_page(tenant_id, page_id, self.worker, may_apart=may_apart, documents=documents, pool=pool)

        def claim() -> Claim | None:
            if not self.storage.is_on:
                return claimed(documents=True)
            found = claimed(documents=False)
            if found is None and is_of_document(tenant_id, page_id):
                if self.storage.takes_documents():
                    return claimed(documents=True)
                put_off_for_storage(tenant_id, page_id)
            return found

        return while_database_is_away(claim, keep_trying=lambda: time.monotonic() < give_up_at)

    def _settle(self, claim: Claim, call: Call) -> str:
        """Work on the page, then write how the work ended, if this claim still holds the page."""
        end = self._work(claim, call)
        try:
            return self._write(claim, end)
        except LeaseLost:
            return "lease_lost"

    def _write(self, claim: Claim, end: End) -> str:
        """Write the end of the page. If that fails, the page fails, and does not pass for a lost worker's."""
        holds = partial(self.leases.holds, claim)
        try:
            return while_database_is_away(end, keep_trying=holds)
        except Exception as error:
            if isinstance(error, LeaseLost) or may_pass(error):
                raise
            log.exception("page_outcome_not_saved")
            failed = partial(fail_page, claim, OURS, may_retry=True)
            return while_database_is_away(failed, keep_trying=holds)

    def _work(self, claim: Claim, call: Call) -> End:
        """Work on the page and return its end. However it ends, the time that it took from others counts for the fair
        share of its tenant.

        If a page of a document fails, its time is multiplied by the weight of its priority. A document that cannot be
        read costs nothing, so it would be sent at the highest priority.
        """
        started_s, times = time.perf_counter(), 1
        try:
            return self._end_of_work(claim, call)
        except Exception as error:
            document = claim.document
            if document is not None:
                times = WEIGHTS[claim.priority]
                if isinstance(error, DocumentRejected) and error.code == CODE:
                    failure, on_end = Failure(error.code, error.detail), self.leases.cancel_document
                    return partial(fail_too_complex, claim, document, failure, on_end=on_end)
            return end_of(claim, call, error)
        finally:
            seconds = _own_s(time.perf_counter() - started_s, call.spent)
            self.hefts.add(claim.engine_key, str(claim.tenant_id), seconds, times)

    def _end_of_work(self, claim: Claim, call: Call) -> End:
        spec = self.versions.get(claim.model_version_id, call)
        # If the content of a page is known without opening it, a cached result is looked up before the page is opened.
        content = _content_unopened(claim)
        plan = None if content is None else plan_for(claim, spec, content)
        end = None if plan is None else self._reused(claim, plan)
        if end is not None:
            return end
        started_s = time.perf_counter()
        page = self._opened(claim, call, spec)
        read_s = time.perf_counter() - started_s
        if plan is None:
            plan = plan_for(claim, spec, Content("page", page.sha256))
            end = self._reused(claim, plan)
            if end is not None:
                return end
        output, timings = self._run_model(claim, call, spec, page.work)
        return _finished(claim, output, {**timings, "read_ms": _ms(read_s)}, plan)

    def _opened(self, claim: Claim, call: Call, spec: VersionSpec) -> _Opened:
        if claim.document is None:
            return _Opened(work_input(claim.input or {}), "")
        try:
            page = open_page(claim.document, claim.number, call)
        except StorageUnavailable as error:
            if self.storage.failed(error):
                log.warning("documents_paused", error=error.detail)
            raise
        if self.storage.opened():
            log.info("documents_resumed")
        sha256 = page.picture_sha256 if self.engine.looks_at_picture(spec) else page.sha256
        return _Opened(page.work, sha256)

    def _reused(self, claim: Claim, plan: Plan) -> End | None:
        """Return the end of a page that does not have to run, or not now."""
        key = plan.key
        if key is None or not plan.looks:
            return None
        found = look(claim, key)
        if found.elsewhere:
            return lambda: wait_for_it(claim, key)
        cached = found.cached
        if cached is not None:
            return lambda: take_known_page(claim, key, cached)
        PAGE_LOOKUPS.labels(model=claim.model_key, outcome=MISS).inc()
        return None

    def _run_model(self, claim: Claim, call: Call, spec: VersionSpec, work: WorkInput) -> tuple[WorkOutput, Timings]:
        started_s = time.perf_counter()
        narrow_deadline(call, spec)
        with watching_loads(lambda: self.news.tell(claim)) as loads:
            try:
                output = self.engine.run(spec, work, claim.parameters, call)
            finally:
                call.spent.add(load_s=loads.waited_s)
                run_s = time.perf_counter() - started_s - loads.waited_s
        return output, Timings(read_ms=0, load_ms=_ms(loads.waited_s), run_ms=_ms(run_s))


def _finished(claim: Claim, output: WorkOutput, timings: Timings, plan: Plan) -> End:
    def finish() -> str:
        finish_page(claim, output, timings, key=plan.key)
        return "succeeded"

    return finish


def _content_unopened(claim: Claim) -> Content | None:
    """Return the content of the page if it is known without opening the page."""
    if claim.document is None:
        return Content("input", claim.input_sha256)
    if claim.document.kind == Document.Kind.TEXT:
        return Content("text_file", claim.document.sha256)
    if claim.document.kind not in Document.PICTURED:
        return Content("page", file_content_sha256(claim.document.sha256, claim.number))
    return None


def _own_s(seconds: float, spent: Spent) -> float:
    """Return how long a page occupied its thread. The waits for a child process, for the model and for a batch are
    excluded.
    """
    return max(seconds - spent.child_wait_s - spent.load_s - spent.batch_s, spent.infer_s)


def narrow_deadline(call: Call, spec: VersionSpec) -> None:
    """Narrow the deadline to what the version allows from now on, including the load of the model."""
    limit_s = spec.config.get("time_limit_s")
    if limit_s is not None:
        call.deadline_s = min(call.deadline_s or float("inf"), time.monotonic() + float(limit_s))


def _ms(seconds: float) -> int:
    return max(0, round(1000 * seconds))
