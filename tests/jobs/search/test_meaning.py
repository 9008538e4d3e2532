"""Tests of the search by meaning, on a database that has pgvector, with the model that the product ships."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest
from django.db import connections

from inference.core.contracts import Embedding, Units, WorkOutput
from inference.registry.selectors import resolve
from inference.registry.services import seed_builtin
from jobs.core.models import Job, Page
from jobs.queue.settlement import Failure, fail_page, finish_page
from jobs.search import query_embedding
from jobs.search.query_embedding import embed
from jobs.search.selectors import Hit, meaning_available, meaning_of, nearest
from jobs.search.statement_timeout import MeaningPaused, MeaningUnavailable
from jobs.submission.retries import retry_job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk

LEASE = "The landlord lets the flat to the tenant for a monthly rent and a deposit."
SOUP = "Chop the onions, fry them in butter and let the soup simmer for an hour."


@pytest.fixture(scope="module", autouse=True)
def _models(_real_transactions: None) -> None:
    seed_builtin()


def embedding_of(text: str) -> Embedding:
    return embed(resolve("embed", tenant_id=None), text)


def read(desk: Desk, page: Page, embedding: Embedding | None) -> None:
    finish_page(desk.claimed(page), WorkOutput({"text": "read"}, Units(pages=1), embedding))


def job_about(desk: Desk, *texts: str) -> Job:
    job = desk.submit(pages=len(texts)) if len(texts) > 1 else desk.submit()
    for page, text in zip(desk.pages(job), texts, strict=True):
        read(desk, page, embedding_of(text))
    return job


def hits(desk: Desk, meaning: Embedding | None, **options: int) -> list[Hit]:
    with unit_of_work(desk.identity.tenant_id):
        return nearest(meaning, **options) if meaning else []


def found(desk: Desk, words: str) -> list[tuple[UUID, int | None]]:
    return [(hit.job_id, hit.page_number) for hit in hits(desk, meaning_of(words))]


def test_a_job_is_found_by_what_its_nearest_page_is_about(desk: Desk) -> None:
    both, soup = job_about(desk, SOUP, LEASE), job_about(desk, SOUP)
    assert found(desk, "apartment rental contract")[0] == (both.id, 2)
    assert found(desk, "cooking recipe")[:2] in (
        [(both.id, 1), (soup.id, 1)],
        [(soup.id, 1), (both.id, 1)],
    )


def test_what_is_about_something_else_is_not_found(desk: Desk) -> None:
    job_about(desk, SOUP)
    assert found(desk, "quarterly revenue of the semiconductor division") == []


def test_another_tenants_pages_are_never_near(desk: Desk, other_identity: Identity) -> None:
    job_about(desk, LEASE)
    assert found(Desk(other_identity, desk.version), LEASE) == []


def test_embeddings_of_another_model_are_not_compared(desk: Desk) -> None:
    known = embedding_of(LEASE)
    read(desk, desk.pages(desk.submit())[0], Embedding("f" * 64, known.vector[:7]))
    assert found(desk, LEASE) == []


def test_pages_that_a_retry_took_over_are_near_too(desk: Desk) -> None:
    job = desk.submit(pages=2)
    first, second = desk.pages(job)
    read(desk, first, embedding_of(LEASE))
    fail_page(desk.claimed(second), Failure("broken", "broken"), may_retry=False)
    again = retry_job(identity=desk.identity, job_id=job.id)
    assert set(found(desk, LEASE)) == {(again.id, 1), (job.id, 1)}


@pytest.mark.parametrize("typed", ["", "  \n", "\0", "\ud800", "a" * 10_000, "'[1,2]'"], ids=range(6))
def test_nothing_that_is_typed_is_an_error(desk: Desk, typed: str) -> None:
    assert found(desk, typed) == []


def test_a_vector_that_cannot_be_stored_costs_no_page(desk: Desk) -> None:
    job = desk.submit()
    read(desk, desk.pages(job)[0], Embedding("0" * 64, (float("nan"), 1e9)))
    assert desk.again(job).state == "succeeded"


@contextmanager
def without_the_table() -> Iterator[None]:
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE jobs_pageembedding RENAME TO elsewhere")
        try:
            yield
        finally:
            cursor.execute("ALTER TABLE elsewhere RENAME TO jobs_pageembedding")


def test_a_database_without_embeddings_settles_pages_and_says_that_none_are_near(desk: Desk) -> None:
    job = desk.submit()
    known = embedding_of(LEASE)
    with without_the_table():
        read(desk, desk.pages(job)[0], known)
        with pytest.raises(MeaningUnavailable, match="cannot be found by meaning here"):
            meaning_of(LEASE)
        with unit_of_work(desk.identity.tenant_id):
            assert not meaning_available()
    assert desk.again(job).state == "succeeded"


def test_of_many_pages_the_newest_are_compared(desk: Desk) -> None:
    lease = embedding_of(LEASE)
    _, newer = job_about(desk, LEASE), job_about(desk, LEASE)
    assert [hit.job_id for hit in hits(desk, lease, among=1)] == [newer.id]


def test_one_text_is_read_after_the_other_and_who_waits_too_long_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(query_embedding, "TIMEOUT_S", 0.01)
    with query_embedding._one_at_a_time, pytest.raises(MeaningPaused, match="Others are searching"):
        meaning_of("something nobody asked for before")
