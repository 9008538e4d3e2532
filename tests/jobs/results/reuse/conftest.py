"""A `desk` whose model has a cache, and the steps of a worker with a page except the run itself."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from inference.core.contracts import VersionSpec, WorkOutput
from inference.registry.selectors import spec_of
from jobs.core.models import Document, DocumentPage, Job, Page
from jobs.queue.claims import Claim
from jobs.queue.settlement import finish_page
from jobs.results.reuse.cache_directives import Wish
from jobs.results.reuse.cached_pages import Content
from jobs.results.reuse.running import Found, look, plan_for, take_known_page, wait_for_it
from jobs.submission.services import JobRequest, submit_job
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.conftest import DONE, Desk

TTL_S = 3600
FLAGGED = WorkOutput(
    {
        "text": "read",
        "quality": 0.4,
        "needs_review": True,
        "class": {"label": "invoice", "probabilities": {"invoice": 0.75, "letter": 0.25}},
    },
    DONE.units,
)
"""The output of a page that a person must check, and whose class is known."""


@dataclass(frozen=True)
class Bench:
    """A `desk` that runs pages as a worker does."""

    desk: Desk
    spec: VersionSpec

    def text(self, text: str = "hello", wish: Wish = "", *, identity: Identity | None = None) -> Job:
        request = JobRequest(model=self.desk.version.served_model.name, input={"text": text}, cache_control=wish)
        return submit_job(identity=identity or self.desk.identity, request=request)

    def read(self, document: Document, wish: Wish = "") -> Job:
        request = JobRequest(model=self.desk.version.served_model.name, document_id=document.id, cache_control=wish)
        return submit_job(identity=self.desk.identity, request=request)

    def opened(self, *contents: str, name: str = "a.pdf") -> Document:
        """Make a document whose pages a worker has opened before, with these contents."""
        document = self.desk.document(len(contents), name)
        with unit_of_work(document.tenant_id):
            DocumentPage.objects.bulk_create(
                DocumentPage(
                    tenant_id=document.tenant_id,
                    document=document,
                    number=number,
                    width_px=1,
                    height_px=1,
                    content_sha256=content,
                )
                for number, content in enumerate(contents, 1)
            )
        return document

    def key(self, claim: Claim, content: str = "") -> bytes:
        known = Content("page", content) if content else Content("input", claim.input_sha256)
        key = plan_for(claim, self.spec, known).key
        assert key is not None
        return key

    def look(self, claim: Claim, content: str = "") -> Found:
        return look(claim, self.key(claim, content))

    def run(self, page: Page, content: str = "", output: WorkOutput = DONE) -> str:
        """Process a page that a worker has claimed and opened, and return what becomes of it."""
        claim = self.desk.claimed(page)
        known = Content("page", content) if content else Content("input", claim.input_sha256)
        plan = plan_for(claim, self.spec, known)
        if plan.key is not None and plan.looks:
            found = look(claim, plan.key)
            if found.elsewhere:
                return wait_for_it(claim, plan.key)
            if found.cached is not None:
                return take_known_page(claim, plan.key, found.cached)
        finish_page(claim, output, key=plan.key)
        return "run"

    def run_all(self, job: Job, *contents: str, output: WorkOutput = DONE) -> list[str]:
        pages = self.desk.pages(job)
        pairs = zip(pages, contents or [""] * len(pages), strict=True)
        return [self.run(page, content, output) for page, content in pairs]

    def charges(self, job: Job) -> list[tuple[str, int]]:
        """Return the kind of source and the amount, by page."""
        return [(one.source_kind, one.amount_micros) for one in self.uses(job)]

    def uses(self, job: Job) -> list[UsageRecord]:
        """Return the usage of the pages that have been charged, by page."""
        pages = self.desk.pages(job)
        with unit_of_work(self.desk.identity.tenant_id):
            found = UsageRecord.objects.filter(source_id__in=[page.id for page in pages])
            used = {one.source_id: one for one in found}
        return [used[page.id] for page in pages if page.id in used]


@pytest.fixture
def make_bench(make_desk: Callable[..., Desk]) -> Callable[..., Bench]:
    def make(**options: object) -> Bench:
        desk = make_desk(**{"cache_ttl_s": TTL_S, **options})
        return Bench(desk, spec_of(desk.version))

    return make


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()
