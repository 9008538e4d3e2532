"""Test that the text of a document is nowhere after an erasure: in no column of any table, and in no file."""

from pathlib import Path

import pytest

from inference.core.contracts import Embedding, Units, WorkOutput
from jobs.core.errors import DocumentDeleted
from jobs.core.models import Document, Job
from jobs.documents.pages import open_page
from jobs.documents.services import store_document
from jobs.queue.settlement import Failure, fail_page, finish_page
from jobs.retention.documents import delete_document, erase_document_and_jobs
from jobs.retention.erasing import erase_job
from jobs.submission.idempotent_submission import submit_once
from jobs.submission.services import JobRequest
from jobs.webhooks.services import create_endpoint
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.jobs.conftest import Desk
from tests.jobs.documents.conftest import Folder, folder
from tests.jobs.documents.test_services import upload
from tests.samples.pdfs import text_pdf

from .everywhere import files_with, tables_with

__all__ = ["folder"]


@pytest.fixture
def word() -> str:
    """Return a unique word of letters alone, which is one word to the search as well."""
    digits = str.maketrans("0123456789", "abcdefghij", "-")
    return unique("quornzyx").translate(digits)


@pytest.fixture
def document(identity: Identity, folder: Folder, tmp_path: Path, word: str) -> Document:
    content = text_pdf(f"About {word}", "and nothing else")
    made = store_document(identity=identity, upload=upload(tmp_path, content, name=f"{word}.pdf")).document
    for number in (1, 2):
        open_page(made, number)
    return made


def job_on(desk: Desk, document: Document, word: str) -> Job:
    """Make a job with one page that was read. The other page failed, and the model reported what it could not read."""
    create_endpoint(identity=desk.identity, url="https://example.com/hook")
    request = JobRequest(
        model=desk.version.served_model.name,
        document_id=document.id,
        request_id=word,
        webhook_url=f"https://example.com/{word}",
    )
    job = submit_once(identity=desk.identity, request=request, key="a key").made
    read, failed = desk.pages(job)
    output = WorkOutput({"text": f"About {word}"}, Units(pages=1, tokens=3, calls=1), Embedding("0", (1.0,)))
    finish_page(desk.claimed(read), output, key=bytes(32))
    fail_page(desk.claimed(failed), Failure("odd", f"{word} is odd"), may_retry=False)
    return desk.again(job)


def inline_job(desk: Desk, word: str) -> Job:
    request = JobRequest(model=desk.version.served_model.name, input={"text": f"About {word}"})
    job = submit_once(identity=desk.identity, request=request, key=None).made
    finish_page(desk.claimed(desk.pages(job)[0]), WorkOutput({"text": word}, Units(calls=1)))
    return job


def test_of_a_document_erased_with_its_jobs_nothing_is_found_anywhere(
    desk: Desk, document: Document, folder: Folder, word: str
) -> None:
    job = job_on(desk, document, word)
    before = tables_with(word)
    assert {"jobs_document", "jobs_page", "jobs_pagetext", "jobs_event", "jobs_webhookmessage"} <= set(before)
    assert folder.files()
    assert erase_document_and_jobs(identity=desk.identity, document_id=document.id) == 1
    assert desk.again(job).erased
    # A notification that was promised is still sent, to the URL that the job named for it.
    assert tables_with(word) == ["jobs_webhookdelivery"]
    assert folder.files() == []
    assert files_with(word, folder.path) == []


def test_what_came_within_a_request_is_erased_with_its_job(desk: Desk, word: str) -> None:
    job = inline_job(desk, word)
    assert tables_with(word)
    erase_job(identity=desk.identity, job_id=job.id)
    assert tables_with(word) == []


def test_a_document_keeps_its_name_as_long_as_anything_that_was_read_from_it(
    desk: Desk, document: Document, word: str
) -> None:
    job = job_on(desk, document, word)
    delete_document(identity=desk.identity, document_id=document.id)
    assert "jobs_document" in tables_with(word)
    erase_job(identity=desk.identity, job_id=job.id)
    assert "jobs_document" not in tables_with(word)


def test_a_document_that_nothing_was_read_from_takes_its_name_along(desk: Desk, document: Document, word: str) -> None:
    delete_document(identity=desk.identity, document_id=document.id)
    assert tables_with(word) == []


def test_an_erasure_that_was_cut_off_goes_on_when_it_is_asked_for_again(
    desk: Desk, document: Document, word: str
) -> None:
    job = job_on(desk, document, word)
    delete_document(identity=desk.identity, document_id=document.id)
    assert erase_document_and_jobs(identity=desk.identity, document_id=document.id) == 1
    assert desk.again(job).erased
    with pytest.raises(DocumentDeleted, match="on request"):
        erase_document_and_jobs(identity=desk.identity, document_id=document.id)
