"""Tests of how workers embed pages for the search after the results are out."""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest
from django.db import connections

from inference.core.errors import ModelFailed
from inference.engine.engine import Engine
from inference.models import ModelPool, ServedModel
from jobs.core import states
from jobs.core.models import Job, PageToEmbed
from jobs.documents.services import store_document
from jobs.retention.documents import erase_document_and_jobs
from jobs.retention.erasing import erase_job
from jobs.search import embedding_orders
from jobs.search.embedding_orders import MAX_ATTEMPTS
from jobs.search.selectors import meaning_available, meaning_of, nearest, search_jobs
from jobs.submission.services import JobRequest, submit_job
from jobs.worker.leases import Leases
from jobs.worker.page_embedder import PageEmbedder
from jobs.worker.page_runner import PageRunner
from jobs.worker.versions import VersionCatalog
from tenants.core.db.unit_of_work import APP, OPERATOR, operator_work, unit_of_work
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.samples.pdfs import text_pdf
from tests.samples.uploads import arrived

from .conftest import Hooked

LEASE = "The tenant pays the rent for the flat on the first day of each month."


@pytest.fixture(autouse=True)
def _searchable(identity: Identity) -> None:
    with unit_of_work(identity.tenant_id):
        if not meaning_available():
            pytest.skip("no pgvector")
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute("DELETE FROM jobs_pagetoembed")


@pytest.fixture
def embedder(engine: Engine) -> PageEmbedder:
    return PageEmbedder(engine, VersionCatalog(), ())


Parse = Callable[..., Job]


@pytest.fixture
def parse(engine: Engine, identity: Identity, tmp_path: Path) -> Parse:
    runner = PageRunner(engine, Leases(30), VersionCatalog(), "test")

    def parse(content: bytes, **parameters: bool) -> Job:
        document = store_document(identity=identity, upload=arrived(content, tmp_path / "sent.pdf")).document
        request = JobRequest(model="parse", document_id=document.id, parameters=parameters)
        job = submit_job(identity=identity, request=request)
        with unit_of_work(identity.tenant_id):
            pages = list(job.pages.values_list("id", flat=True))
        for page_id in pages:
            runner.run(tenant_id=identity.tenant_id, page_id=page_id)
        with unit_of_work(identity.tenant_id):
            return Job.objects.get(id=job.id)

    return parse


def work_off(embedder: PageEmbedder) -> None:
    while embedder.work_once():
        pass


def ordered(identity: Identity) -> list[UUID]:
    with unit_of_work(identity.tenant_id):
        return list(PageToEmbed.objects.order_by("id").values_list("job_id", flat=True))


def embedded(identity: Identity) -> list[UUID]:
    with unit_of_work(identity.tenant_id), connections[APP].cursor() as cursor:
        cursor.execute("SELECT job_id FROM jobs_pageembedding ORDER BY page_id")
        return [job_id for (job_id,) in cursor.fetchall()]


def test_a_page_is_found_by_its_words_at_once_and_by_its_meaning_soon(
    identity: Identity, parse: Parse, embedder: PageEmbedder
) -> None:
    job = parse(text_pdf(LEASE))
    assert (job.state, ordered(identity), embedded(identity)) == (states.SUCCEEDED, [job.id], [])
    with unit_of_work(identity.tenant_id):
        assert [hit.job_id for hit in search_jobs("rent flat")] == [job.id]
    work_off(embedder)
    assert (ordered(identity), embedded(identity)) == ([], [job.id])
    meaning = meaning_of("paying rent for an apartment every month")
    assert meaning is not None
    with unit_of_work(identity.tenant_id):
        assert [hit.job_id for hit in nearest(meaning)] == [job.id]


def test_the_embedding_that_a_result_shows_is_not_made_twice(identity: Identity, engine: Engine, parse: Parse) -> None:
    job = parse(text_pdf(LEASE), include_embedding=True)
    hooked = Hooked(engine)
    work_off(PageEmbedder(hooked, VersionCatalog(), ()))
    assert (hooked.runs, ordered(identity), embedded(identity)) == (0, [], [job.id])


def test_a_blank_page_is_not_embedded(identity: Identity, parse: Parse) -> None:
    parse(text_pdf(""))
    assert ordered(identity) == []


def test_an_order_outlives_failures_and_is_given_up_in_the_end(
    identity: Identity, engine: Engine, parse: Parse, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise ModelFailed("model_failed", "no memory")

    monkeypatch.setattr(embedding_orders, "PAUSE_S", 0.0)
    job = parse(text_pdf(LEASE))
    broken = PageEmbedder(Hooked(engine, before=fail), VersionCatalog(), ())
    for _ in range(MAX_ATTEMPTS - 1):
        assert broken.work_once()
        assert ordered(identity) == [job.id]
    broken.work_once()
    assert (ordered(identity), embedded(identity)) == ([], [])


def test_an_order_that_a_worker_took_waits_until_the_worker_must_be_gone(
    identity: Identity, parse: Parse, embedder: PageEmbedder
) -> None:
    job = parse(text_pdf(LEASE))
    assert len(embedding_orders.take_orders(())) == 1
    assert not embedder.work_once()
    assert ordered(identity) == [job.id]
    with unit_of_work(identity.tenant_id):
        PageToEmbed.objects.update(run_after="2020-01-01T00:00:00Z")
    work_off(embedder)
    assert embedded(identity) == [job.id]


def test_a_worker_of_other_pools_leaves_the_order(identity: Identity, engine: Engine, parse: Parse) -> None:
    job = parse(text_pdf(LEASE))
    assert not PageEmbedder(engine, VersionCatalog(), ("elsewhere",)).work_once()
    assert PageEmbedder(engine, VersionCatalog(), ("elsewhere", "default")).work_once()
    assert embedded(identity) == [job.id]


def test_a_job_erased_before_leaves_neither_order_nor_embedding(
    identity: Identity, parse: Parse, embedder: PageEmbedder
) -> None:
    erase_job(identity=identity, job_id=parse(text_pdf(LEASE)).id)
    assert ordered(identity) == []
    other = parse(text_pdf(LEASE, "second"))
    erase_document_and_jobs(identity=identity, document_id=other.document_id)
    work_off(embedder)
    assert (ordered(identity), embedded(identity)) == ([], [])


def test_a_job_erased_while_its_page_is_embedded_leaves_no_embedding(
    identity: Identity, engine: Engine, parse: Parse
) -> None:
    job = parse(text_pdf(LEASE))
    hooked = Hooked(engine, after=lambda: erase_job(identity=identity, job_id=job.id))
    work_off(PageEmbedder(hooked, VersionCatalog(), ()))
    assert (hooked.runs, ordered(identity), embedded(identity)) == (1, [], [])


def test_a_cached_page_takes_the_order_or_the_embedding_over(
    identity: Identity, parse: Parse, embedder: PageEmbedder
) -> None:
    jobs = [parse(text_pdf(LEASE)), parse(text_pdf(LEASE))]
    assert (jobs[1].pages_cached, ordered(identity)) == (1, [job.id for job in jobs])
    work_off(embedder)
    jobs.append(parse(text_pdf(LEASE)))
    assert (ordered(identity), embedded(identity)) == ([], [job.id for job in jobs])


def test_only_a_worker_that_names_a_dedicated_pool_takes_its_orders(
    identity: Identity, engine: Engine, parse: Parse
) -> None:
    parse(text_pdf(LEASE))
    with operator_work():
        pool = ModelPool.objects.create(name=unique("pool"), dedicated=True)
        models = ServedModel.objects.filter(versions__in=PageToEmbed.objects.values("model_version"))
        was = dict(models.values_list("pk", "pool"))
        models.update(pool=pool)
    try:
        assert not PageEmbedder(engine, VersionCatalog(), ()).work_once()
        assert not PageEmbedder(engine, VersionCatalog(), ("default",)).work_once()
        assert PageEmbedder(engine, VersionCatalog(), (pool.name,)).work_once()
    finally:
        with operator_work():
            for pk, former in was.items():
                ServedModel.objects.filter(pk=pk).update(pool=former)
