"""Runs one page: claim it, read it, ask the model, write the end. What is true is decided by the database."""

import time
from dataclasses import dataclass
from uuid import UUID

import structlog

from inference.contracts import WorkInput, WorkOutput, WorkRefused
from inference.runtime.engine import Engine
from inference.runtime.errors import ModelFailed
from jobs.dispatch.claims import Claim, claim_page
from jobs.dispatch.release import release_after_commit
from jobs.dispatch.settlement import Failure, fail_page, finish_page
from jobs.documents.pages import page_input
from jobs.documents.reader import DocumentRejected, ReaderUnavailable
from jobs.errors import DocumentDeleted, Fenced, StorageUnavailable
from jobs.inputs import work_input
from jobs.worker.leases import Leases
from jobs.worker.metrics import PAGE_SECONDS, PAGES
from jobs.worker.versions import VersionCatalogue

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class PageRunner:
    engine: Engine
    leases: Leases
    versions: VersionCatalogue
    worker: str

    def run(self, *, tenant_id: UUID, page_id: UUID) -> None:
        claim = claim_page(tenant_id, page_id, self.worker)
        if claim is None:
            return
        key = self.versions.get(claim.model_version_id).key
        started = time.perf_counter()
        with (
            structlog.contextvars.bound_contextvars(job_id=str(claim.job_id), page=claim.number, model=key),
            self.leases.held(claim),
        ):
            outcome = self._settle(claim)
            seconds = time.perf_counter() - started
            log.info("page_done", outcome=outcome, ms=round(seconds * 1000), attempt=claim.attempt)
        PAGES.labels(model=key, outcome=outcome).inc()
        PAGE_SECONDS.labels(model=key).observe(seconds)
        release_after_commit(claim.model_version_id, key)

    def _settle(self, claim: Claim) -> str:
        try:
            result = self._attempt(claim)
            if isinstance(result, Failure):
                fail_page(claim, result, may_retry=False)
                return "failed"
            finish_page(claim, result)
            return "succeeded"
        except Fenced:
            return "fenced"
        except (ModelFailed, StorageUnavailable, ReaderUnavailable) as error:
            return self._give_up(
                claim, Failure(error.code, error.detail), may_retry=getattr(error, "retryable", True)
            )
        except Exception:
            log.exception("page_crashed")
            failure = Failure(
                "internal_error", "Something went wrong on our side; the operator's log has the details."
            )
            return self._give_up(claim, failure, may_retry=True)

    def _give_up(self, claim: Claim, failure: Failure, *, may_retry: bool) -> str:
        log.warning("page_failed", code=failure.code, detail=failure.detail, may_retry=may_retry)
        try:
            fail_page(claim, failure, may_retry=may_retry)
        except Fenced:
            return "fenced"
        return "failed"

    def _attempt(self, claim: Claim) -> WorkOutput | Failure:
        """A Failure is the input's own fault and will not be tried again."""
        try:
            work = self._work(claim)
            return self.engine.run(self.versions.get(claim.model_version_id), work, claim.parameters)
        except (WorkRefused, DocumentRejected, DocumentDeleted) as error:
            return Failure(error.code, error.detail)

    def _work(self, claim: Claim) -> WorkInput:
        if claim.document_id is not None:
            return page_input(claim.tenant_id, claim.document_id, claim.number)
        return work_input(claim.input or {})
