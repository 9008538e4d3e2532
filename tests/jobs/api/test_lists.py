"""Tests of the lists of jobs and documents through Django, given what the request guard would add (keys, uploads)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from inference.core.contracts import Units, WorkOutput
from jobs.queue.settlement import finish_page
from jobs.results.corrections.services import correct_class, undo_class
from jobs.submission.cancellations import cancel_job
from tenants.core.db.unit_of_work import APP
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk

Ask = Callable[..., Any]


@pytest.fixture
def ask(identity: Identity) -> Ask:
    def get(path: str, status: int = 200, **query: object) -> Any:
        answer = Client().get(f"/v1/{path}", query, **{"maas.identity": identity})  # type: ignore[arg-type]
        assert answer.status_code == status, answer.content
        return answer.json()

    return get


def test_jobs_are_listed_newest_first_in_pages_without_overlap(desk: Desk, ask: Ask) -> None:
    made = [str(desk.submit().id) for _ in range(5)]
    first = ask("jobs", limit=2)
    second = ask("jobs", limit=2, cursor=first["next_cursor"])
    third = ask("jobs", limit=2, cursor=second["next_cursor"])
    listed = [job["id"] for page in (first, second, third) for job in page["data"]]
    assert listed == made[::-1]
    assert (third["has_more"], third["next_cursor"]) == (False, None)


def test_a_job_that_arrives_meanwhile_shifts_no_page(desk: Desk, ask: Ask) -> None:
    made = [str(desk.submit().id) for _ in range(3)]
    first = ask("jobs", limit=2)
    desk.submit()
    rest = ask("jobs", limit=2, cursor=first["next_cursor"])
    assert [job["id"] for job in rest["data"]] == [made[0]]


def test_jobs_are_filtered_by_state_model_and_document(desk: Desk, ask: Ask, make_desk: Callable[..., Desk]) -> None:
    canceled, waiting = desk.submit(), desk.submit(pages=2)
    cancel_job(identity=desk.identity, job_id=canceled.id)
    elsewhere = make_desk().submit()
    name = desk.version.served_model.name

    def ids(**query: object) -> set[str]:
        return {job["id"] for job in ask("jobs", **query)["data"]}

    assert ids(state="canceled") == {str(canceled.id)}
    assert ids(state="queued,canceled") == {str(canceled.id), str(waiting.id), str(elsewhere.id)}
    assert ids(model=name) == ids(model=f"{name}@1") == {str(canceled.id), str(waiting.id)}
    assert ids(model=f"{name}@2") == ids(model="no-such") == ids(model="\0") == set()
    assert ids(document=waiting.document_id) == {str(waiting.id)}
    assert ids(document="not-an-id") == set()


def test_jobs_are_found_by_words_among_those_that_other_filters_leave(desk: Desk, ask: Ask) -> None:
    first, second = (desk.submit_document(desk.document(1, name=f"invoice-{n}.pdf")) for n in (1, 2))
    desk.submit_document(desk.document(1, name="letter.pdf"))
    cancel_job(identity=desk.identity, job_id=first.id)
    found = ask("jobs", q="invoice", limit=1)
    rest = ask("jobs", q="invoice", limit=1, cursor=found["next_cursor"])
    assert [job["id"] for job in found["data"] + rest["data"]] == [str(second.id), str(first.id)]
    assert [job["id"] for job in ask("jobs", q="invoice", state="canceled")["data"]] == [str(first.id)]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"limit": 0}, "invalid_request"),
        ({"limit": 101}, "invalid_request"),
        ({"limit": "ten"}, "invalid_request"),
        ({"limit": "9" * 5000}, "invalid_request"),
        ({"cursor": "here"}, "invalid_cursor"),
        ({"state": "done"}, "invalid_request"),
        ({"q": " \0!"}, "invalid_request"),
    ],
    ids=["none", "too many", "words", "digits", "cursor", "state", "no word"],
)
def test_a_question_that_makes_no_sense_is_refused(ask: Ask, query: dict[str, object], code: str) -> None:
    assert ask("jobs", status=400, **query)["code"] == code


def test_pages_are_read_on_by_number(desk: Desk, ask: Ask) -> None:
    job = desk.submit(pages=5)
    first = ask(f"jobs/{job.id}/pages", limit=3)
    rest = ask(f"jobs/{job.id}/pages", limit=3, after=first["next_after"])
    assert [page["number"] for page in first["data"] + rest["data"]] == [1, 2, 3, 4, 5]
    assert rest["has_more"] is False


def test_a_result_names_every_page_whatever_became_of_it(desk: Desk, ask: Ask) -> None:
    job = desk.submit(pages=3)
    desk.finish(desk.pages(job)[1])
    result = ask(f"jobs/{job.id}/result")
    assert [(page["number"], page["state"]) for page in result["pages"]] == [
        (1, "queued"),
        (2, "succeeded"),
        (3, "queued"),
    ]
    assert result["text"] == "read"


@pytest.mark.parametrize("path", ["jobs", "documents", "models"])
def test_a_list_asks_the_database_no_more_for_more_rows(desk: Desk, ask: Ask, path: str) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connections[APP]) as captured:
            ask(path, **({} if path == "models" else {"limit": 50}))
        return len(captured)

    desk.submit(pages=2)
    few = queries()
    for _ in range(5):
        desk.submit(pages=2)
    assert queries() == few
    assert few <= 8


def test_a_job_is_shown_with_the_same_few_queries_whatever_its_pages(desk: Desk, ask: Ask) -> None:
    small, large = desk.submit(), desk.submit(pages=40)

    def queries(job_id: object) -> int:
        with CaptureQueriesContext(connections[APP]) as captured:
            ask(f"jobs/{job_id}", include="result")
        return len(captured)

    assert queries(small.id) == queries(large.id) <= 8


@pytest.mark.parametrize(
    ("path", "takes"),
    [
        ("jobs", "Use state, model, document, needs_review, class, q, include, limit, cursor"),
        ("documents", "Use limit, cursor"),
        ("jobs/{job}", "Use include"),
        ("jobs/{job}/pages", "Use limit, after"),
        ("jobs/{job}/events", "Use limit, after"),
        ("models", "This request has none"),
    ],
)
def test_a_misspelt_parameter_is_refused_with_those_there_are(desk: Desk, ask: Ask, path: str, takes: str) -> None:
    refused = ask(path.format(job=desk.submit().id), 400, stat="failed")
    assert refused["code"] == "invalid_request"
    assert "'stat'" in refused["detail"]
    assert takes in refused["detail"]


def test_what_cannot_be_included_is_refused_with_what_can(desk: Desk, ask: Ask) -> None:
    assert "Use include=result" in ask(f"jobs/{desk.submit().id}", 400, include="results")["detail"]


def test_a_state_that_is_none_is_refused_with_those_there_are(ask: Ask) -> None:
    assert "Use queued, running, " in ask("jobs", 400, state="nonsense")["detail"]


INVOICE = {"label": "invoice", "probabilities": {"invoice": 0.8, "letter": 0.2}}
UNSURE = {"label": "unsure", "probabilities": {"invoice": 0.3, "letter": 0.4, "other": 0.3}}


def read(desk: Desk, **fields: object) -> str:
    """Submit a page, finish it with these fields in its result, and return the job's id."""
    job = desk.submit()
    finish_page(desk.claimed(desk.pages(job)[0]), WorkOutput({"text": "read", **fields}, Units(pages=1)))
    return str(job.id)


def test_a_job_says_whether_to_check_it_how_well_it_was_read_and_what_it_is(desk: Desk, ask: Ask) -> None:
    job = ask(f"jobs/{read(desk, quality=0.4, needs_review=True, **{'class': INVOICE})}")
    assert (job["pages_to_review"], job["needs_review"], job["quality"]) == (1, True, 0.4)
    assert job["class"] == {**INVOICE, "corrected": False}
    plain = ask(f"jobs/{read(desk)}")
    assert (plain["pages_to_review"], plain["needs_review"], plain["quality"], plain["class"]) == (0, False, None, None)


def test_a_corrected_class_counts_in_lists_and_filters_and_the_reading_stays(desk: Desk, ask: Ask) -> None:
    job = read(desk, **{"class": INVOICE})
    other = read(desk, **{"class": INVOICE})
    correct_class(identity=desk.identity, job_id=job, number=1, label="letter")
    assert ask(f"jobs/{job}")["class"] == {**INVOICE, "label": "letter", "corrected": True}
    assert [row["id"] for row in ask("jobs", **{"class": "letter"})["data"]] == [job]
    assert [row["id"] for row in ask("jobs", **{"class": "invoice"})["data"]] == [other]
    correct_class(identity=desk.identity, job_id=job, number=0, label="report")
    assert ask(f"jobs/{job}")["class"]["label"] == "report"
    assert [row["id"] for row in ask("jobs", **{"class": "report"})["data"]] == [job]
    undo_class(identity=desk.identity, job_id=job, number=0)
    undo_class(identity=desk.identity, job_id=job, number=1)
    assert ask(f"jobs/{job}")["class"] == {**INVOICE, "corrected": False}


def test_jobs_are_filtered_by_class_and_by_whether_to_check_them(desk: Desk, ask: Ask) -> None:
    bad = read(desk, needs_review=True, **{"class": INVOICE})
    good = read(desk, needs_review=False, **{"class": INVOICE})
    unsure = read(desk, needs_review=True, **{"class": UNSURE})
    plain = str(desk.submit().id)

    def ids(**query: object) -> list[str]:
        return [job["id"] for job in ask("jobs", **query)["data"]]

    assert ids(needs_review="true") == [unsure, bad]
    assert ids(needs_review="false") == [plain, good]
    assert ids(**{"class": "invoice"}) == [good, bad]
    assert ids(**{"class": "unsure"}) == [unsure]
    assert ids(**{"class": "no-such"}) == []
    assert ids(needs_review="true", **{"class": "invoice"}) == [bad]


def test_a_filtered_list_is_read_on_by_its_cursor(desk: Desk, ask: Ask) -> None:
    made = [read(desk, needs_review=True) for _ in range(3)]
    read(desk)
    first = ask("jobs", needs_review="true", limit=2)
    rest = ask("jobs", needs_review="true", limit=2, cursor=first["next_cursor"])
    assert [job["id"] for job in first["data"] + rest["data"]] == made[::-1]


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ({"needs_review": "yes"}, "Unknown value needs_review='yes'. Use true or false."),
        ({"needs_review": ""}, "Unknown value needs_review=''. Use true or false."),
        (
            {"class": ""},
            "class='' is no class. Use a label of up to 60 characters, such as invoice or unsure.",
        ),
        (
            {"class": "a\0b"},
            "class='a\\x00b' is no class. Use a label of up to 60 characters, such as invoice or unsure.",
        ),
        (
            {"class": "x" * 61},
            f"class='{'x' * 40}' is no class. Use a label of up to 60 characters, such as invoice or unsure.",
        ),
    ],
)
def test_a_filter_by_reading_that_makes_no_sense_is_refused(ask: Ask, query: dict[str, object], detail: str) -> None:
    refused = ask("jobs", 400, **query)
    assert (refused["code"], refused["detail"]) == ("invalid_request", detail)
