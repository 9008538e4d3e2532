"""Tests of an account with little storage left, for bytes from elsewhere, and many requests at once."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx
import pytest

from inference.registry.models import ModelVersion
from jobs.batches.models import StoredFile
from jobs.core.models import Document, Job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.limits.quota.capacity import stored_bytes
from tenants.limits.quota.wording import MB
from tenants.onboarding.create_tenant import CreatedTenant
from tests.jobs.intake.test_fetches import at, local_certificate, ok, there
from tests.jobs.intake.test_storage_limit import LINES, caller, fill, full, refused
from tests.jobs.uploads.tus import Tus
from tests.maas.granian_server import GranianServer
from tests.samples.pdfs import text_pdf
from tests.stand_in_s3 import Bucket, new_bucket, stand_in_s3
from tests.tenants.core.http_client.receiver import Receiver

__all__ = ["caller", "full", "local_certificate", "there"]
MANY = 12
FIT = 3
"""The number of the `MANY` files that fit."""
PADDING = 100_000


@pytest.fixture(scope="module")
def bucket() -> Iterator[Bucket]:
    with stand_in_s3() as address:
        yield new_bucket(address)


@pytest.fixture(scope="module")
def web_server(bucket: Bucket, local_certificate: Path) -> Iterator[GranianServer]:
    env = {
        "MAAS_STORAGE_URL": bucket.url,
        "MAAS_EGRESS_LOOPBACK": "1",
        "SSL_CERT_FILE": str(local_certificate),
        "MAAS_MAX_OPEN_UPLOADS": "50",
    }
    with GranianServer("maas.asgi:application", env) as server:
        yield server


@pytest.fixture
def tus(web_server: GranianServer, tenant: CreatedTenant) -> Tus:
    return Tus(web_server.url, tenant.key.text)


@pytest.fixture
def nearly_full(tenant: CreatedTenant) -> int:
    """Leave storage for three files of one size, but not for a fourth. Return that size in bytes."""
    size = len(padded("000"))
    fill(tenant.tenant.id, left_bytes=FIT * size + size // 2)
    return size


def padded(words: str) -> bytes:
    pdf = text_pdf(words)
    return pdf[:9] + b"%" + b" " * PADDING + b"\n" + pdf[9:]


def files() -> Sequence[bytes]:
    """Return as many files as there are requests at once. Each has bytes of its own, and all have the same size."""
    return [padded(f"{number:03d}") for number in range(MANY)]


def at_once(asks: Sequence[Callable[[], httpx.Response]]) -> list[httpx.Response]:
    """Send all requests at once, and repeat those that are only told to try again."""

    def patiently(ask: Callable[[], httpx.Response]) -> httpx.Response:
        while (answer := ask()).status_code in (429, 503):
            pass
        return answer

    with ThreadPoolExecutor(len(asks)) as pool:
        return list(pool.map(patiently, asks))


def assert_as_many_as_fit(answers: Sequence[httpx.Response], tenant: CreatedTenant, taken: int) -> None:
    codes = sorted(answer.status_code for answer in answers)
    assert codes == [taken] * FIT + [413] * (MANY - FIT), [one.text for one in answers if one.status_code >= 500]
    with unit_of_work(tenant.tenant.id):
        assert stored_bytes(tenant.tenant.id) <= MB


@pytest.mark.usefixtures("full")
def test_a_full_account_gets_no_document_by_its_address_and_no_job_on_one(
    caller: httpx.Client,
    there: Callable[..., Receiver],
    tenant: CreatedTenant,
    version: ModelVersion,
    bucket: Bucket,
) -> None:
    content = text_pdf("no room by address")
    receiver = there(ok(content))
    told = refused(caller.post("/v1/documents", json={"url": at(receiver)}))
    assert f"this needs {len(content):,} more" in str(told["detail"])
    refused(caller.post("/v1/jobs", json={"model": version.served_model.name, "document_url": at(receiver)}))
    with unit_of_work(tenant.tenant.id):
        assert Document.objects.count() == 1, "the filler"
        assert not Job.objects.exists()
    assert bucket.objects(f"tenants/{tenant.tenant.id}") == []


def test_an_upload_that_was_begun_ends_and_takes_its_bytes_once(
    caller: httpx.Client, tus: Tus, tenant: CreatedTenant, nearly_full: int
) -> None:
    first, second, _ = (tus.begin(nearly_full) for _ in range(FIT))
    refused_now = tus.create(nearly_full)
    assert (refused_now.status_code, refused_now.json()["code"]) == (413, "account_storage_full")
    assert tus.send(first, 0, padded("one")).headers["upload-state"] == "ready"
    with unit_of_work(tenant.tenant.id):
        assert Document.objects.count() == 2
        used = stored_bytes(tenant.tenant.id)
    assert used == MB - nearly_full // 2
    assert caller.delete(second).status_code == 204
    tus.begin(nearly_full)  # What was given up frees space.


def test_of_many_documents_at_once_as_many_are_kept_as_fit(
    caller: httpx.Client, tenant: CreatedTenant, nearly_full: int
) -> None:
    def post(content: bytes) -> httpx.Response:
        return caller.post("/v1/documents", files={"file": ("a.pdf", content, "application/pdf")})

    assert_as_many_as_fit(at_once([partial(post, one) for one in files()]), tenant, 201)


def test_of_many_addresses_at_once_as_many_are_kept_as_fit(
    caller: httpx.Client, there: Callable[..., Receiver], tenant: CreatedTenant, nearly_full: int
) -> None:
    def post(receiver: Receiver) -> httpx.Response:
        return caller.post("/v1/documents", json={"url": at(receiver)})

    receivers = [there(ok(one)) for one in files()]
    assert_as_many_as_fit(at_once([partial(post, one) for one in receivers]), tenant, 201)


def test_of_many_uploads_at_once_as_many_are_begun_as_fit(tus: Tus, tenant: CreatedTenant, nearly_full: int) -> None:
    assert_as_many_as_fit(at_once([partial(tus.create, nearly_full)] * MANY), tenant, 201)


def test_of_many_files_for_batches_at_once_as_many_are_kept_as_fit(
    caller: httpx.Client, tenant: CreatedTenant, nearly_full: int
) -> None:
    content = LINES + b" " * (nearly_full - len(LINES))

    def post() -> httpx.Response:
        return caller.post("/v1/files", data={"purpose": "batch"}, files={"file": ("lines.jsonl", content)})

    assert_as_many_as_fit(at_once([post] * MANY), tenant, 200)
    with unit_of_work(tenant.tenant.id):
        assert StoredFile.objects.count() == FIT


def test_of_different_ways_at_once_no_more_is_taken_than_fits(
    caller: httpx.Client, tus: Tus, tenant: CreatedTenant, nearly_full: int
) -> None:
    def post(content: bytes) -> httpx.Response:
        return caller.post("/v1/documents", files={"file": ("a.pdf", content, "application/pdf")})

    half = MANY // 2
    asks = [partial(post, one) for one in files()[:half]] + [partial(tus.create, nearly_full)] * half
    assert_as_many_as_fit(at_once(asks), tenant, 201)
