"""Tests of how the query of the list's URL is read. Nothing in it is an error."""

import pytest

from jobs.dashboard.listing.query import NEWEST, ListQuery

EVERYTHING = {
    "q": "acme invoice",
    "state": "failed",
    "needs_review": "true",
    "class": "invoice",
    "model": "parse",
    "from": "2026-02-01",
    "to": "2026-02-28",
    "sort": "-cost",
    "size": "100",
    "page": "3",
}


def test_an_address_says_all_that_was_asked_and_comes_back_the_same() -> None:
    query = ListQuery.parse(EVERYTHING)
    given = dict(pair.split("=") for pair in query.address().lstrip("?").replace("+", " ").split("&"))
    assert given == EVERYTHING
    assert ListQuery.parse(given) == query


def test_what_goes_without_saying_is_not_in_the_address() -> None:
    assert ListQuery.parse({"state": "", "size": "25", "page": "1"}).address("/jobs") == "/jobs"


@pytest.mark.parametrize(
    "given",
    [
        {"state": "odd"},
        {"needs_review": "yes"},
        {"class": "a\0b"},
        {"class": "x" * 61},
        {"sort": "password"},
        {"size": "7"},
        {"size": "10000000000000"},
        {"page": "-1"},
        {"page": "²"},
        {"from": "yesterday"},
        {"to": "2026-02-30"},
        {"before": "x"},
        {"after": "\0"},
    ],
    ids=str,
)
def test_what_makes_no_sense_is_left_out(given: dict[str, str]) -> None:
    assert ListQuery.parse(given) == ListQuery()


def test_another_filter_begins_at_the_first_page() -> None:
    there = ListQuery.parse({"page": "4", "sort": "name", "before": "018f0000-0000-7000-8000-000000000000"})
    changed = there.changed(state="failed")
    assert (changed.at_start, changed.sort, changed.state) == (True, "name", "failed")


def test_words_are_bounded_and_hold_nothing_that_postgres_refuses() -> None:
    assert ListQuery.parse({"q": "  two \0 words  "}).words == "two words"
    assert len(ListQuery.parse({"q": "x" * 5_000}).words) == 200


def test_the_newest_come_first_unless_told() -> None:
    assert ListQuery().order == NEWEST
    assert ListQuery.parse({"sort": "name"}).by_age is False


@pytest.mark.parametrize("given", ["", "documents", "odd"])
def test_files_are_the_source_unless_chosen_otherwise(given: str) -> None:
    query = ListQuery.parse({"sent": given})
    assert (query.sent, query.filtered, query.more_filters, query.address("/jobs")) == ("documents", False, 0, "/jobs")


@pytest.mark.parametrize("given", ["inline", "all"])
def test_another_source_is_a_filter_and_stays_in_the_address(given: str) -> None:
    query = ListQuery.parse({"sent": given})
    assert (query.sent, query.filtered, query.more_filters) == (given, True, 1)
    assert query.address("/jobs") == f"/jobs?sent={given}"
