"""Jobs at each stage of their life, made through the same services that the product uses."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import pytest
from django.db import connections, transaction

from inference.core.contracts import Units, WorkOutput
from inference.registry.models import ModelVersion
from jobs.core.models import Document, Job, Page
from jobs.queue.claims import Claim, claim_page
from jobs.queue.settlement import finish_page
from jobs.submission.services import JobRequest, submit_job
from tenants.core.db.unit_of_work import OPERATOR, unit_of_work
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.maas.web_processes import telling_server, web_server

__all__ = ["telling_server", "web_server"]

DONE = WorkOutput({"text": "read"}, Units(pages=1, tokens=3, calls=1, device_us=2_345))


@dataclass(frozen=True)
class Desk:
    """A tenant with a model, and shorthand for what happens to its jobs."""

    identity: Identity
    version: ModelVersion

    def submit(self, pages: int = 1) -> Job:
        request = JobRequest(model=self.version.served_model.name, input={"text": "hello"})
        if pages > 1:
            request = JobRequest(model=self.version.served_model.name, document_id=self.document(pages).id)
        return submit_job(identity=self.identity, request=request)

    def submit_document(self, document: Document) -> Job:
        request = JobRequest(model=self.version.served_model.name, document_id=document.id)
        return submit_job(identity=self.identity, request=request)

    def document(self, pages: int, name: str = "a.pdf") -> Document:
        """Create a document without a file, because these tests never open it."""
        with unit_of_work(self.identity.tenant_id):
            return Document.objects.create(
                tenant_id=self.identity.tenant_id,
                name=name,
                sha256=unique("sha"),
                size_bytes=1,
                content_type="application/pdf",
                kind="pdf",
                pages_total=pages,
                file="none",
                livemode=self.identity.livemode,
            )

    def pages(self, job: Job) -> list[Page]:
        with unit_of_work(self.identity.tenant_id):
            return list(Page.objects.filter(job=job).order_by("number"))

    def again(self, job: Job) -> Job:
        with unit_of_work(self.identity.tenant_id):
            return Job.objects.get(id=job.id)

    def claim(self, page: Page, worker: str = "one") -> Claim | None:
        return claim_page(self.identity.tenant_id, page.id, worker)

    def claimed(self, page: Page) -> Claim:
        claim = self.claim(page)
        assert claim is not None
        return claim

    def finish(self, page: Page) -> None:
        finish_page(self.claimed(page), DONE)

    def expire_lease(self, page: Page) -> None:
        self.sql(
            "UPDATE jobs_page SET lease_until = clock_timestamp() - interval '1 second' WHERE id = %s",
            page.id,
        )

    def sql(self, statement: str, *values: UUID) -> None:
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute(statement, values)

    def rewrite(self, table: str, statement: str, *values: UUID) -> None:
        """Change what has ended, for example its times. Only the table's owner can disable the trigger that guards
        it.
        """
        with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER keep_end")
            cursor.execute("SET LOCAL ROLE maas_operator")
            cursor.execute(statement, values)
            cursor.execute("RESET ROLE")
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER keep_end")


@pytest.fixture
def desk(identity: Identity, version: ModelVersion) -> Desk:
    return Desk(identity, version)


@pytest.fixture
def make_desk(identity: Identity, make_version: Callable[..., ModelVersion]) -> Callable[..., Desk]:
    return lambda **options: Desk(identity, make_version(**options))
