"""Tests of `/v1/jobs/{id}/result.*`, as a program or a browser requests it."""

from contextlib import ExitStack
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client

from jobs.core.models import Document, Job
from jobs.results.exports import services
from jobs.retention.documents import delete_document
from tenants.api.authentication import IDENTITY
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.ids import uuid7
from tests.jobs.results.exports.conftest import ReadingDesk, box, line


def asked(desk: ReadingDesk, job: Job, suffix: str) -> Any:
    return Client().get(f"/v1/jobs/{job.id}/result.{suffix}", **{IDENTITY: desk.identity})  # type: ignore[arg-type]


@pytest.fixture
def job(desk: ReadingDesk) -> Job:
    job = desk.submit(pages=2)
    desk.draw(job, 1)
    desk.read(job, 1, line("Hello", box(0, 0, 200)))
    return job


def rename(desk: ReadingDesk, job: Job, name: str) -> None:
    with unit_of_work(desk.identity.tenant_id):
        Document.objects.filter(jobs=job).update(name=name)


@pytest.mark.parametrize(
    ("suffix", "content_type", "beginning"),
    [
        ("txt", "text/plain; charset=utf-8", b"[Page 2 of 2"),
        ("md", "text/markdown; charset=utf-8", b"# a.pdf"),
        ("html", "text/html; charset=utf-8", b"<!doctype html>"),
        ("json", "application/json", b'{"object":"result"'),
        ("chunks.jsonl", "application/jsonl", b'{"object": "chunk"'),
        ("pdf", "application/pdf", b"%PDF-1."),
    ],
)
def test_each_format_comes_as_a_file_named_after_the_document(
    desk: ReadingDesk, job: Job, suffix: str, content_type: str, beginning: bytes
) -> None:
    answer = asked(desk, job, suffix)
    assert (answer.status_code, answer["Content-Type"]) == (200, content_type)
    kind = "-searchable" if suffix == "pdf" else ""
    assert answer["Content-Disposition"] == f'attachment; filename="a{kind}.{suffix}"'
    assert b"".join(answer).startswith(beginning)


def test_a_name_of_any_letters_reaches_the_browser_whole(desk: ReadingDesk, job: Job) -> None:
    rename(desk, job, 'Rechnung "März" 发票.pdf')
    expected = "attachment; filename*=utf-8''Rechnung%20%22M%C3%A4rz%22%20%E5%8F%91%E7%A5%A8.txt"
    assert asked(desk, job, "txt")["Content-Disposition"] == expected


def test_a_part_says_in_its_name_which(desk: ReadingDesk, job: Job) -> None:
    assert asked(desk, job, "txt?pages=1")["Content-Disposition"] == 'attachment; filename="a-pages-1-1.txt"'


def test_a_range_that_does_not_fit_is_refused_with_what_there_is(desk: ReadingDesk, job: Job) -> None:
    answer = asked(desk, job, "txt?pages=2-9")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert answer.json()["detail"] == "pages=2-9 is out of range. This job has pages 1 to 2."


def test_more_pages_than_a_pdf_takes_are_refused_with_what_to_ask_for(desk: ReadingDesk) -> None:
    job = desk.submit(pages=services.MAX_PDF_PAGES + 1)
    refused = asked(desk, job, "pdf")
    assert (refused.status_code, refused.json()["code"]) == (422, "export_too_large")
    assert "?pages=1-200" in refused.json()["detail"]
    assert asked(desk, job, "pdf?pages=200-201").status_code == 200


def test_what_was_sent_as_text_has_no_pictures_to_make_a_pdf_of(desk: ReadingDesk) -> None:
    answer = asked(desk, desk.submit(), "pdf")
    assert (answer.status_code, answer.json()["code"]) == (422, "no_page_pictures")


def test_of_an_erased_document_the_text_stays_and_the_pdf_is_gone(desk: ReadingDesk) -> None:
    job = desk.submit(pages=2)
    for number in (1, 2):
        desk.read(job, number, line("Hello", box(0, 0, 200)))
    delete_document(identity=desk.identity, document_id=job.document_id)
    assert b"Hello" in b"".join(asked(desk, job, "txt"))
    refused = asked(desk, job, "pdf")
    assert (refused.status_code, refused.json()["code"]) == (410, "document_deleted")


def refusal(answer: Any) -> tuple[int, str, str]:
    return answer.status_code, answer.json()["code"], answer["Retry-After"]


def test_a_tenants_third_large_file_at_once_is_told_to_come_again(desk: ReadingDesk, job: Job) -> None:
    with services.BEING_BUILT.taken(job.tenant_id), services.BEING_BUILT.taken(job.tenant_id):
        assert refusal(asked(desk, job, "pdf")) == (429, "rate_limited", "5")
        assert asked(desk, job, "txt").status_code == 200
    assert asked(desk, job, "pdf").status_code == 200


@pytest.mark.parametrize("suffix", ["txt", "md", "html", "json", "chunks.jsonl"])
def test_large_files_of_all_tenants_share_few_places(desk: ReadingDesk, suffix: str) -> None:
    large = desk.submit(pages=services.LIGHT_PAGES + 1)
    with ExitStack() as others:
        for _ in range(3):
            others.enter_context(services.BEING_BUILT.taken(uuid7()))
        assert refusal(asked(desk, large, suffix)) == (503, "overloaded", "5")
        assert asked(desk, large, f"{suffix}?pages=1-{services.LIGHT_PAGES}").status_code == 200
    assert asked(desk, large, suffix).status_code == 200


def zipped(desk: ReadingDesk, query: str) -> Any:
    return Client().get(f"/v1/jobs/results.zip{query}", **{IDENTITY: desk.identity})  # type: ignore[arg-type]


def test_many_jobs_come_as_one_zip(desk: ReadingDesk, job: Job) -> None:
    answer = zipped(desk, f"?jobs={job.id},{desk.submit().id}&formats=markdown")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    assert answer["Content-Disposition"].startswith('attachment; filename="documents-')
    assert len(ZipFile(BytesIO(b"".join(answer))).namelist()) == 2


def test_a_zip_has_the_searchable_pdf(desk: ReadingDesk, job: Job) -> None:
    made = ZipFile(BytesIO(b"".join(zipped(desk, f"?jobs={job.id}&formats=pdf"))))
    (name,) = made.namelist()
    assert name.endswith("/searchable.pdf")
    assert made.read(name).startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ("", "Name the jobs to export: ?jobs=ID,ID."),
        (
            "?jobs=x&formats=docx",
            "Unknown format 'docx'. Use original, text, markdown, html, json, chunks, pdf, csv or xlsx.",
        ),
        ("?jobs=x&format=json", "Unknown query parameter 'format'. Use jobs, formats."),
    ],
)
def test_a_zip_that_cannot_be_made_is_refused_in_exact_words(desk: ReadingDesk, query: str, detail: str) -> None:
    answer = zipped(desk, query)
    assert (answer.status_code, answer.json()["detail"]) == (400, detail)


def test_a_zip_of_an_unknown_job_is_not_found(desk: ReadingDesk, job: Job) -> None:
    answer = zipped(desk, f"?jobs={job.id},{uuid7()}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
