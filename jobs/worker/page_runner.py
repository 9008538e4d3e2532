"""Runs one page: claim it, read it, ask the model, write the end. What is true is decided by the database."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import structlog
from django.db import InterfaceError, OperationalError

from inference.contracts import WorkInput, WorkOutput, WorkRefused
from inference.runtime.engine import Engine
from inference.runtime.errors import ModelFailed
from jobs.dispatch.claims import Claim, claim_page
from jobs.dispatch.release import release_after_commit
from jobs.dispatch.settlement import Failure, fail_page, finish_page, postpone_page
from jobs.documents.pages import page_input
from jobs.documents.reader import DocumentRejected, ReaderUnavailable
from jobs.errors import DocumentDeleted, Fenced, StorageUnavailable
from jobs.inputs import work_input
from jobs.worker.leases import Leases
from jobs.worker.metrics import PAGE_SECONDS, PAGES
from jobs.worker.patience import while_database_is_away
from jobs.worker.versions import VersionCatalogue

log = structlog.get_logger(__name__)
CLAIM_PATIENCE_S = 30.0
"""By then the page has been woken again; another message will bring it back."""

REFUSED = (WorkRefused, DocumentRejected, DocumentDeleted)
AWAY = (StorageUnavailable, ReaderUnavailable, OperationalError, InterfaceError, OSError)
"""Nobody's fault that is asked for here: the page waits, and no attempt of it is used up."""

OURS = Failure("internal_error", "Something went wrong on our side; the operator's log has the details.")
PLACE_AWAY = Failure("storage_unavailable", "The service's storage or database could not be reached.")


@dataclass(frozen=True)
class PageRunner:
    engine: Engine
    leases: Leases
    versions: VersionCatalogue
    worker: str

    def run(self, *, tenant_id: UUID, page_id: UUID) -> None:
        claim = self._claim(tenant_id, page_id)
        if claim is None:
            return
        key, started = claim.model_key, time.perf_counter()
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

    def _claim(self, tenant_id: UUID, page_id: UUID) -> Claim | None:
        give_up_at = time.monotonic() + CLAIM_PATIENCE_S
        return while_database_is_away(
            lambda: claim_page(tenant_id, page_id, self.worker),
            keep_trying=lambda: time.monotonic() < give_up_at,
        )

    def _settle(self, claim: Claim) -> str:
        """Works, then writes how it ended, as long as the page is still this claim's."""
        end = self._work(claim)
        try:
            return while_database_is_away(end, keep_trying=lambda: self.leases.holds(claim))
        except Fenced:
            return "fenced"

    def _work(self, claim: Claim) -> Callable[[], str]:
        """The transaction that ends the page: done only when the work is, and repeated without it."""
        try:
            output = self._run_model(claim)
        except REFUSED as error:
            refusal = Failure(error.code, error.detail)
            return lambda: fail_page(claim, refusal, may_retry=False)
        except ModelFailed as error:
            failure, may_retry = Failure(error.code, error.detail), error.retryable
            log.warning("page_failed", code=failure.code, detail=failure.detail, may_retry=may_retry)
            return lambda: fail_page(claim, failure, may_retry=may_retry)
        except AWAY as error:
            log.warning("page_postponed", error=str(error))
            return lambda: postpone_page(claim, PLACE_AWAY)
        except Exception:
            log.exception("page_crashed")
            return lambda: fail_page(claim, OURS, may_retry=True)

        def finish() -> str:
            finish_page(claim, output)
            return "succeeded"

        return finish

    def _run_model(self, claim: Claim) -> WorkOutput:
        spec = self.versions.get(claim.model_version_id)
        return self.engine.run(spec, self._input(claim), claim.parameters)

    def _input(self, claim: Claim) -> WorkInput:
        if claim.document_id is not None:
            return page_input(claim.tenant_id, claim.document_id, claim.number)
        return work_input(claim.input or {})
