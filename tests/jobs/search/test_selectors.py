"""Tests of the search for jobs, through the real index and the database role of the web processes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest

from inference.core.contracts import Units, WorkOutput
from jobs.core.models import Job, Page
from jobs.queue.settlement import Failure, fail_page, finish_page
from jobs.retention.documents import delete_document
from jobs.search.selectors import excerpts, search_jobs
from jobs.submission.retries import retry_job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk


def read(desk: Desk, page: Page, text: str) -> None:
    finish_page(desk.claimed(page), WorkOutput({"text": text}, Units(pages=1)))


def job_with(desk: Desk, *texts: str, name: str = "a.pdf") -> Job:
    document = desk.document(len(texts), name=name)
    job = desk.submit_document(document)
    for page, text in zip(desk.pages(job), texts, strict=True):
        read(desk, page, text)
    return job


def found(desk: Desk, words: str) -> list[tuple[UUID, int | None]]:
    with unit_of_work(desk.identity.tenant_id):
        return [(hit.job_id, hit.page_number) for hit in search_jobs(words)]


def test_a_job_is_found_by_what_stands_on_its_first_page_that_has_it(desk: Desk) -> None:
    job = job_with(desk, "Dear Anna", "Total due: 90 EUR", "Total paid")
    assert found(desk, "total") == [(job.id, 2)]


@pytest.mark.parametrize("words", ["invoice", "2024", "2024-03", "INVOICE_2024", "invo", "invoice pdf "])
def test_a_job_is_found_by_its_documents_name_before_any_page_is_read(desk: Desk, words: str) -> None:
    job = desk.submit_document(desk.document(1, name="invoice_2024-03.pdf"))
    assert found(desk, words) == [(job.id, None)]


def test_words_of_the_name_and_of_a_page_may_be_asked_for_together(desk: Desk) -> None:
    job = job_with(desk, "nothing here", "The total is 7", name="acme.pdf")
    assert found(desk, "acme total") == [(job.id, 2)]


def test_chinese_is_found_by_any_stretch_of_it(desk: Desk) -> None:
    job = job_with(desk, "北京增值税专用发票 号码 123")
    for words in ("发票", "增值税专用", "票", "京增", "发票 123"):
        assert found(desk, words) == [(job.id, 1)], words
    assert found(desk, "票发") == []


def test_the_newest_comes_first_and_no_more_than_asked_for(desk: Desk) -> None:
    jobs = [job_with(desk, "same words") for _ in range(3)]
    assert found(desk, "same") == [(job.id, 1) for job in reversed(jobs)]
    with unit_of_work(desk.identity.tenant_id):
        assert [hit.job_id for hit in search_jobs("same", limit=1)] == [jobs[2].id]


def test_a_job_with_an_unwanted_word_on_any_page_is_left_out(desk: Desk) -> None:
    kept, _ = job_with(desk, "contract", "signed"), job_with(desk, "contract", "a draft")
    assert found(desk, "contract -draft") == [(kept.id, 1)]


def test_another_tenants_pages_are_never_found(desk: Desk, other_identity: Identity) -> None:
    job_with(desk, "secret formula", name="secret.pdf")
    assert len(found(desk, "secret")) == 1
    assert found(Desk(other_identity, desk.version), "secret") == []


def test_pages_that_a_retry_took_over_are_found_in_both_jobs(desk: Desk) -> None:
    job = desk.submit_document(desk.document(2, name="x.pdf"))
    first, second = desk.pages(job)
    read(desk, first, "taken over")
    fail_page(desk.claimed(second), Failure("broken", "broken"), may_retry=False)
    again = retry_job(identity=desk.identity, job_id=job.id)
    assert found(desk, '"taken over"') == [(again.id, 1), (job.id, 1)]
    assert found(desk, "x.pdf") == [(again.id, None), (job.id, None)]


def test_a_job_whose_document_was_deleted_is_still_found_like_its_results(desk: Desk) -> None:
    job = job_with(desk, "still here", name="gone.txt")
    with unit_of_work(desk.identity.tenant_id):
        document_id = Job.objects.get(id=job.id).document_id
    delete_document(identity=desk.identity, document_id=document_id)
    assert found(desk, "still") == [(job.id, 1)]
    assert found(desk, "gone") == [(job.id, None)]


@pytest.mark.parametrize(
    "typed",
    [
        "\0",
        "' OR 1=1 --",
        "a" * 10_000,
        "!" * 10_000,
        '"' * 999,
        "-" * 50,
        "\\ ''",
        "((",
        "\ud83d",
        "%s %(a)s",
    ],
    ids=range(10),
)
def test_nothing_that_is_typed_is_an_error(desk: Desk, typed: str) -> None:
    assert found(desk, typed) == []


def hostile_texts() -> Iterator[str]:
    yield "".join(chr(0x10000 + number) for number in range(60_000))
    yield " ".join(f"{'ж' * 56}{number:05d}"[:60].replace("0", "о").replace("1", "е") for number in range(99_999))
    yield " ".join("".join(chr(0x20000 + (number * 7 + at) % 40_000) for at in range(60)) for number in range(3_000))
    yield "word " * 400_000
    yield "x" * 2_000_000
    yield "\0'\\\" \ud800 : * ! & | ( )" * 1_000
    yield " ".join(f"ß{letters:x}ﷺ" * 20 for letters in range(20_000))


@pytest.mark.parametrize("text", hostile_texts(), ids=range(7))
def test_no_text_keeps_a_page_from_being_settled(desk: Desk, text: str) -> None:
    job = job_with(desk, text)
    assert desk.again(job).state == "succeeded"


@contextmanager
def work(desk: Desk) -> Iterator[None]:
    with unit_of_work(desk.identity.tenant_id):
        yield


def test_hits_that_are_shown_get_their_excerpt(desk: Desk) -> None:
    by_page = job_with(desk, "first", "the needle in the hay", name="hay.txt")
    by_name = job_with(desk, "nothing", name="needle.pdf")
    with work(desk):
        hits = excerpts("needle", search_jobs("needle"))
    assert [part.text for part in hits[by_page.id].excerpt if part.marked] == ["needle"]
    assert "".join(part.text for part in hits[by_page.id].excerpt) == "the needle in the hay"
    assert "".join(part.text for part in hits[by_name.id].excerpt) == "needle.pdf"


def test_showing_hits_costs_two_queries_however_many(
    desk: Desk, django_assert_num_queries: Callable[..., object]
) -> None:
    for _ in range(3):
        job_with(desk, "needle", name="hay.txt")
        job_with(desk, "hay", name="needle.txt")
    with work(desk):
        hits = search_jobs("needle")
        with django_assert_num_queries(2):  # type: ignore[attr-defined]
            assert len(excerpts("needle", hits)) == 6
