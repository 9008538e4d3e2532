"""Tests of an account without storage left, at the product's own web process, for every way in which bytes arrive."""

from collections.abc import Mapping
from uuid import UUID

import httpx
import pytest

from inference.registry.models import ModelVersion
from jobs.batches.models import StoredFile
from jobs.core.models import Document
from jobs.uploads.models import ResumableUpload
from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.limits.quota.wording import MB
from tenants.onboarding.create_tenant import CreatedTenant
from tests.jobs.uploads.tus import Tus
from tests.maas.granian_server import GranianServer
from tests.samples.pdfs import text_pdf

pytestmark = pytest.mark.xdist_group("web_server")

LINES = b'{"custom_id": "one", "method": "POST", "url": "/v1/embeddings", "body": {"model": "embed", "input": "x"}}\n'


def fill(tenant_id: UUID, *, left_bytes: int) -> UUID:
    """Limit the tenant's storage to one megabyte, and fill it except for `left_bytes`. Return the filling document."""
    with operator_work():
        Tenant.objects.filter(id=tenant_id).update(storage_mb=1)
    with unit_of_work(tenant_id):
        filler = Document.objects.create(
            tenant_id=tenant_id,
            name="filler",
            sha256="filler",
            size_bytes=MB - left_bytes,
            content_type="text/plain",
            kind="text",
            pages_total=1,
            file="none",
        )
        return filler.id


@pytest.fixture
def full(tenant: CreatedTenant) -> UUID:
    return fill(tenant.tenant.id, left_bytes=0)


@pytest.fixture
def caller(web_server: GranianServer, tenant: CreatedTenant) -> httpx.Client:
    return httpx.Client(base_url=web_server.url, headers={"Authorization": f"Bearer {tenant.key.text}"}, timeout=60)


def refused(answer: httpx.Response) -> Mapping[str, object]:
    told: Mapping[str, object] = answer.json()
    assert (answer.status_code, told.get("code")) == (413, "account_storage_full"), answer.text
    assert told["limit"] == {"scope": "tenant", "name": "storage", "amount": MB}
    assert told["used_bytes"] == MB
    return told


def test_every_way_in_is_refused_alike_and_keeps_nothing(
    web_server: GranianServer, caller: httpx.Client, tenant: CreatedTenant, full: UUID, version: ModelVersion
) -> None:
    content = text_pdf("no room")
    told = refused(caller.post("/v1/documents", files={"file": ("a.pdf", content, "application/pdf")}))
    assert f"this needs {len(content):,} more" in str(told["detail"])
    refused(
        caller.post(
            "/v1/jobs",
            data={"model": version.served_model.name},
            files={"file": ("a.pdf", content, "application/pdf")},
        )
    )
    as_openai_does = caller.post("/v1/files", data={"purpose": "batch"}, files={"file": ("lines.jsonl", LINES)})
    assert as_openai_does.status_code == 413
    assert as_openai_does.json()["error"]["code"] == "account_storage_full"
    refused(Tus(web_server.url, tenant.key.text).create(len(content)))
    with unit_of_work(tenant.tenant.id):
        assert list(Document.objects.values_list("id", flat=True)) == [full]
        assert not StoredFile.objects.exists()
        assert not ResumableUpload.objects.exists()


def test_what_is_refused_is_taken_once_something_was_deleted(
    caller: httpx.Client, tenant: CreatedTenant, full: UUID
) -> None:
    file = {"file": ("a.pdf", text_pdf("later"), "application/pdf")}
    refused(caller.post("/v1/documents", files=file))
    with unit_of_work(tenant.tenant.id):
        Document.objects.filter(id=full).delete()
    assert caller.post("/v1/documents", files=file).status_code == 201
    (storage,) = [one for one in caller.get("/v1/limits").json()["data"] if one["name"] == "storage"]
    assert 0 < storage["remaining"] < MB
