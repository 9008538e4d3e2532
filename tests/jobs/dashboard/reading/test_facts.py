"""Test that every reason for which a job waits has a text, and which downloads a job offers."""

from datetime import UTC, datetime

import pytest

from jobs.core.models import Document, Job
from jobs.dashboard.reading.facts import downloads, waiting_words
from jobs.queue.waiting import REASONS, Standing


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_has_words(reason: str) -> None:
    assert waiting_words(Standing(2, None, reason)).startswith(("Waiting", "Queued"))


def test_what_comes_first_is_counted_and_the_time_is_told() -> None:
    assert waiting_words(Standing(1, 75, "queued_behind_others")) == "Queued behind 1 page, about 1 min"
    assert waiting_words(Standing(12_000, None, "queued_behind_own")) == ("Queued behind 12,000 pages of your account")
    assert waiting_words(Standing(None, None, "queued_behind_others")) == "Queued behind many pages"


def test_a_job_that_does_not_wait_has_none() -> None:
    assert waiting_words(Standing()) == ""


TEXTS = ["Text", "Markdown", "HTML", "JSON", "Chunks for retrieval"]


def titles(document: Document | None) -> list[str]:
    return [download.words for download in downloads(Job(document=document, pages_total=1), 1, has_tables=False)]


def test_the_original_is_offered_while_the_document_is_there() -> None:
    document = Document(name="a.pdf", kind=Document.Kind.PDF)
    assert titles(document) == [*TEXTS, "Searchable PDF", "Original file"]
    *_, original = downloads(Job(document=document, pages_total=1), 1, has_tables=False)
    assert (original.url, original.built) == (f"/v1/documents/{document.id}/content", False)


def test_no_original_is_offered_of_an_erased_document_or_of_inline_input() -> None:
    erased = Document(name="a.pdf", kind=Document.Kind.PDF, deleted_at=datetime(2026, 7, 1, tzinfo=UTC))
    assert titles(erased) == titles(None) == TEXTS


def test_a_text_file_has_an_original_and_no_searchable_pdf() -> None:
    assert titles(Document(name="a.txt", kind=Document.Kind.TEXT)) == [*TEXTS, "Original file"]
