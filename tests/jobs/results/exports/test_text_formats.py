"""Tests of text, Markdown and JSON: what they contain, and what is missing."""

import json

import pytest

from jobs.core.models import Job
from jobs.queue.settlement import Failure, fail_page
from jobs.results.exports.services import JSON, MARKDOWN, TEXT
from jobs.results.exports.text_formats import escaped
from tests.jobs.results.exports.conftest import ReadingDesk, box, line


@pytest.fixture
def job(desk: ReadingDesk) -> Job:
    """Make a job with four pages: read, failed, read, still waiting."""
    job = desk.submit(pages=4)
    desk.read(job, 1, line("Dear *Anna*,", box(0, 0, 200)), line("1. hello", box(0, 200, 600)))
    fail_page(desk.claimed(desk.pages(job)[1]), Failure("page_unreadable", "Ink."), may_retry=False)
    desk.read(job, 3, line("Bye", box(0, 0, 200)))
    return job


def test_text_has_every_page_under_its_number_and_says_what_is_missing(desk: ReadingDesk, job: Job) -> None:
    assert desk.exported(job, TEXT).decode() == (
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


def test_markdown_has_headings_and_paragraphs_and_nothing_in_it_is_markup_by_chance(
    desk: ReadingDesk, job: Job
) -> None:
    assert desk.exported(job, MARKDOWN).decode() == (
        "# a.pdf\n\n> Pages 2 and 4 of 4 are missing.\n"
        "\n## Page 1\n\nDear \\*Anna\\*,\n\n1\\. hello\n"
        "\n## Page 2\n\n> Page 2 is missing: it failed. Ink. (page\\_unreadable)\n"
        "\n## Page 3\n\nBye\n"
        "\n## Page 4\n\n> Page 4 is missing: it waits to be read.\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# no heading", "\\# no heading"),
        ("- no list", "\\- no list"),
        ("12) no list", "12\\) no list"),
        ("    no code", "no code"),
        ("<b>&amp; [a](b) `c` \\ |", "\\<b\\>\\&amp; \\[a\\](b) \\`c\\` \\\\ \\|"),
        ("a - b + 3.5", "a - b + 3.5"),
    ],
)
def test_markup_is_escaped_where_it_would_be_some(text: str, expected: str) -> None:
    assert escaped(text) == expected


def test_json_is_the_result_with_the_numbers_of_what_is_missing(desk: ReadingDesk, job: Job) -> None:
    result = json.loads(desk.exported(job, JSON))
    assert (result["missing"], result["text"]) == ([2, 4], "Dear *Anna*,\n1. hello\n\nBye")
    assert [page["state"] for page in result["pages"]] == ["succeeded", "failed", "succeeded", "queued"]


def test_a_range_gives_these_pages_alone(desk: ReadingDesk, job: Job) -> None:
    assert desk.exported(job, TEXT, "3").decode() == "--- Page 3 of 4 ---\nBye\n\n"
