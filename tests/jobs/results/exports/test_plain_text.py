"""Tests of the export as plain text: what it contains, and what is missing."""

from jobs.core.models import Job
from jobs.results.exports.services import TEXT
from tests.jobs.results.exports.conftest import ReadingDesk


def test_text_has_every_page_under_its_number_and_says_what_is_missing(desk: ReadingDesk, partial_job: Job) -> None:
    assert desk.exported(partial_job, TEXT).decode() == (
        "[Pages 2 and 4 of 4 are missing.]\n\n"
        "--- Page 1 of 4 ---\nDear *Anna*,\n1. hello\n\n"
        "--- Page 2 of 4 ---\n[Page 2 is missing: it failed. Ink. (page_unreadable)]\n\n"
        "--- Page 3 of 4 ---\nBye\n\n"
        "--- Page 4 of 4 ---\n[Page 4 is missing: it waits to be read.]\n\n"
    )


def test_text_of_a_single_page_is_the_bare_text(desk: ReadingDesk) -> None:
    job = desk.submit()
    desk.finish(desk.pages(job)[0])
    assert desk.exported(job, TEXT) == b"read\n"


def test_a_range_gives_these_pages_alone(desk: ReadingDesk, partial_job: Job) -> None:
    assert desk.exported(partial_job, TEXT, "3").decode() == "--- Page 3 of 4 ---\nBye\n\n"
