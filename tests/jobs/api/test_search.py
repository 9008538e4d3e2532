"""Tests of `/v1/search`: pages by words and by meaning, through the real index and the role of the web processes."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from inference.core.contracts import Embedding, Units, WorkOutput
from inference.registry.selectors import resolve
from inference.registry.services import seed_builtin
from jobs.core.models import Job, Page
from jobs.queue.settlement import finish_page
from jobs.results.corrections.services import correct_line
from jobs.retention.documents import delete_document, erase_document_and_jobs
from jobs.search import page_hits, query_embedding, statement_timeout
from jobs.search.query_embedding import embed
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk

Ask = Callable[..., Any]
BOX = [[10.0, 20.0], [90.0, 20.0], [90.0, 40.0], [10.0, 40.0]]
BELOW = [[10.0, 50.0], [90.0, 50.0], [90.0, 70.0], [10.0, 70.0]]
LEASE = "The landlord lets the flat to the tenant for a monthly rent and a deposit."
SOUP = "Chop the onions, fry them in butter and let the soup simmer for an hour."
INVOICE = {"label": "invoice", "probabilities": {"invoice": 0.8, "letter": 0.2}}


@pytest.fixture
def ask(identity: Identity) -> Ask:
    return asking(identity)


def asking(identity: Identity) -> Ask:
    def get(status: int = 200, **query: object) -> Any:
        answer = Client().get("/v1/search", query, **{"maas.identity": identity})  # type: ignore[arg-type]
        assert answer.status_code == status, answer.content
        return answer.json()

    return get


def read(desk: Desk, page: Page, text: str, embedding: Embedding | None = None, **fields: Any) -> None:
    finish_page(desk.claimed(page), WorkOutput({"text": text, **fields}, Units(pages=1), embedding))


def job_with(desk: Desk, *texts: str, name: str = "a.pdf", **fields: Any) -> Job:
    job = desk.submit_document(desk.document(len(texts), name=name))
    for page, text in zip(desk.pages(job), texts, strict=True):
        read(desk, page, text, **fields)
    return job


def places(found: Any) -> list[tuple[str, int | None]]:
    return [(hit["job"], hit["page"]) for hit in found["data"]]


def test_each_page_with_all_the_words_is_a_hit_the_newest_job_first(desk: Desk, ask: Ask) -> None:
    older = job_with(desk, "total due", "nothing", "the due total")
    newer = job_with(desk, "total only", "due and total")
    found = ask(q="total due")
    assert places(found) == [(str(newer.id), 2), (str(older.id), 1), (str(older.id), 3)]
    assert (found["object"], found["has_more"], found["next_cursor"]) == ("list", False, None)


def test_a_hit_says_what_was_found_and_where_it_stands(desk: Desk, ask: Ask) -> None:
    lines = [{"text": "Total", "box": BOX}, {"text": "due: 90", "box": BELOW}, {"text": "EUR", "box": None}]
    job = job_with(desk, "Total due: 90 EUR", name="acme.pdf", lines=lines, **{"class": INVOICE})
    (hit,) = ask(q='"total due"')["data"]
    excerpt = hit.pop("excerpt")
    assert [excerpt["text"][mark["start"] : mark["end"]] for mark in excerpt["marks"]] == ["Total", "due"]
    assert hit.pop("created_at")
    assert hit == {
        "object": "search_hit",
        "document": str(job.document_id),
        "job": str(job.id),
        "page": 1,
        "name": "acme.pdf",
        "model": desk.version.key,
        "class": {**INVOICE, "corrected": False},
        "score": None,
        "boxes": [BOX, BELOW],
        "picture": f"/v1/documents/{job.document_id}/pages/1/picture",
    }


def test_a_turned_page_has_the_picture_that_its_boxes_lie_on(desk: Desk, ask: Ask) -> None:
    job = job_with(desk, "total", lines=[{"text": "total", "box": BOX}], rotation=90)
    assert ask(q="total")["data"][0]["picture"] == f"/v1/jobs/{job.id}/pages/1/picture"


def test_text_without_boxes_has_none_and_input_without_a_document_no_picture(desk: Desk, ask: Ask) -> None:
    job = desk.submit()
    read(desk, desk.pages(job)[0], "an inline text")
    (hit,) = ask(q="inline")["data"]
    assert (hit["document"], hit["name"], hit["picture"], hit["boxes"]) == (None, None, None, None)


def test_a_name_is_a_hit_of_its_own_and_none_of_each_page(desk: Desk, ask: Ask) -> None:
    job = job_with(desk, "nothing here", "we at acme", "the total", name="acme.pdf")
    assert places(ask(q="acme")) == [(str(job.id), None), (str(job.id), 2)]
    assert places(ask(q="acme total")) == [(str(job.id), 3)]
    (name, _) = ask(q="acme")["data"]
    assert (name["excerpt"], name["boxes"], name["picture"]) == (
        {"text": "acme.pdf", "marks": [{"start": 0, "end": 4}]},
        None,
        None,
    )


def test_a_corrected_line_is_found_and_shown_as_corrected(desk: Desk, ask: Ask) -> None:
    job = job_with(desk, "Tota1 due", lines=[{"text": "Tota1 due", "box": BOX}])
    correct_line(identity=desk.identity, job_id=job.id, number=1, index=0, text="Total due")
    (hit,) = ask(q="total ")["data"]
    assert (hit["excerpt"]["text"], hit["boxes"]) == ("Total due", [BOX])
    assert ask(q="tota1")["data"] == []


def test_a_list_is_read_on_while_pages_come_and_go(desk: Desk, ask: Ask) -> None:
    jobs = [job_with(desk, "same one", "same two") for _ in range(3)]
    expected = [(str(job.id), number) for job in reversed(jobs) for number in (1, 2)]
    first = ask(q="same", limit=3)
    job_with(desk, "same as before")
    erase_document_and_jobs(identity=desk.identity, document_id=jobs[1].document_id)
    rest = ask(q="same", limit=3, cursor=first["next_cursor"])
    assert places(first) + places(rest) == [place for place in expected if place != (str(jobs[1].id), 2)]
    assert rest["has_more"] is False


def test_what_was_erased_is_gone_at_once(desk: Desk, ask: Ask) -> None:
    file, whole, kept = (job_with(desk, "same words") for _ in range(3))
    delete_document(identity=desk.identity, document_id=file.document_id)
    erase_document_and_jobs(identity=desk.identity, document_id=whole.document_id)
    assert places(ask(q="same")) == [(str(kept.id), 1)]


def test_filters_choose_among_all_hits(desk: Desk, ask: Ask, make_desk: Callable[..., Desk]) -> None:
    invoice = job_with(desk, "same", name="a.pdf", **{"class": INVOICE})
    letter = job_with(desk, "same")
    other = job_with(make_desk(), "same")
    name = desk.version.served_model.name
    assert places(ask(q="same", **{"class": "invoice"})) == [(str(invoice.id), 1)]
    assert places(ask(q="same", model=name)) == places(ask(q="same", model=f"{name}@1"))
    assert places(ask(q="same", model=name)) == [(str(letter.id), 1), (str(invoice.id), 1)]
    assert ask(q="same", model="no-such")["data"] == []
    with unit_of_work(desk.identity.tenant_id):
        moment = Job.objects.get(id=letter.id).created_at
    tomorrow = (moment + timedelta(days=1)).date().isoformat()
    assert len(ask(q="same", **{"from": moment.date().isoformat(), "to": tomorrow})["data"]) == 3
    assert ask(q="same", **{"from": tomorrow})["data"] == ask(q="same", to="2020-01-01T00:00:00+02:00")["data"] == []
    assert len(places(ask(q="same", limit=1, model=other.model_version.served_model.name))) == 1


def test_an_unwanted_word_leaves_out_the_pages_of_its_job(desk: Desk, ask: Ask) -> None:
    kept, _ = job_with(desk, "contract", "signed"), job_with(desk, "contract", "a draft")
    assert places(ask(q="contract -draft")) == [(str(kept.id), 1)]


def test_another_tenants_pages_are_never_found(desk: Desk, other_identity: Identity, ask: Ask) -> None:
    job = job_with(desk, "secret formula", name="secret.pdf")
    cursor = f"words-{'f' * 32}-1"
    for query in ({"q": "secret"}, {"q": "formula", "cursor": cursor}, {"q": "secret", "model": desk.version.key}):
        assert asking(other_identity)(**query)["data"] == []
    assert places(ask(q="formula", cursor=cursor)) == [(str(job.id), 1)]


@pytest.mark.parametrize("mode", [True, False])
def test_a_key_finds_pages_of_its_mode_alone(desk: Desk, mode: bool) -> None:
    job_with(desk, "same")
    own = replace(desk.identity, livemode=mode)
    assert len(asking(own)(q="same")["data"]) == (mode == desk.identity.livemode)


@pytest.mark.parametrize(
    ("query", "code", "detail"),
    [
        ({}, "invalid_request", "Say in `q` what to search for."),
        ({"q": "  "}, "invalid_request", "Say in `q` what to search for."),
        ({"q": "\0!"}, "invalid_request", r"q='\x00!' contains no word to search for."),
        ({"q": "-draft"}, "invalid_request", "q='-draft' contains no word to search for."),
        ({"q": "x" * 1001}, "invalid_request", "q has 1,001 characters. With by=words, at most 1,000 are allowed."),
        (
            {"q": "x" * 301, "by": "meaning"},
            "invalid_request",
            "q has 301 characters. With by=meaning, at most 300 are allowed.",
        ),
        (
            {"q": " ".join("abcdefghijklmnopqrstu")},
            "invalid_request",
            "q has 21 words and phrases. At most 20 are allowed.",
        ),
        ({"q": "a", "by": "sense"}, "invalid_request", "Unknown value by='sense'. Use words or meaning."),
        ({"q": "a", "class": ""}, "invalid_request", "class='' is no class."),
        ({"q": "a", "from": "soon"}, "invalid_request", "from='soon' must be a day (2026-11-01) or a time"),
        ({"q": "a", "limit": "101"}, "invalid_request", "limit='101' must be a whole number from 1 to 100."),
        ({"q": "a", "cursor": "b"}, "invalid_cursor", "'b' is not a cursor of this list."),
        ({"q": "a", "cursor": f"meaning-{'0' * 32}-1"}, "invalid_cursor", "is not a cursor of this list."),
        ({"q": "a", "query": "b"}, "invalid_request", "Use q, by, class, model, from, to, limit, cursor"),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(ask: Ask, query: dict[str, object], code: str, detail: str) -> None:
    refused = ask(400, **query)
    assert (refused["code"], detail in refused["detail"]) == (code, True), refused["detail"]


@pytest.mark.parametrize(
    "typed",
    ["' OR 1=1 --", "a" * 1000, '"' * 99 + "x", "\\ ''x", "((x", "\ud83dx", "%s %(a)s", "x:*D & y"],
    ids=range(8),
)
def test_nothing_that_is_typed_is_a_failure(ask: Ask, typed: str) -> None:
    assert ask(q=typed.encode("utf-8", "replace").decode())["data"] == []


def test_a_search_on_too_many_pages_is_refused(desk: Desk, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    job_with(desk, "same")
    monkeypatch.setattr(statement_timeout, "SEARCH_MS", 1)
    monkeypatch.setattr(page_hits, "_BY_WORDS", f"SELECT * FROM ({page_hits._BY_WORDS}) hits, pg_sleep(1)")
    assert ask(422, q="same")["code"] == "search_too_broad"


def test_more_hits_take_no_more_queries(desk: Desk, ask: Ask) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connections[APP]) as captured:
            ask(q="same", limit=50)
        return len(captured)

    job_with(desk, "same")
    few = queries()
    for _ in range(4):
        job_with(desk, "same", "same")
    assert queries() == few <= 10


@pytest.fixture
def meanings(_real_transactions: None) -> Callable[[str], Embedding]:
    seed_builtin()
    return lambda text: embed(resolve("embed", tenant_id=None), text)


def about(desk: Desk, meanings: Callable[[str], Embedding], *texts: str) -> Job:
    job = desk.submit_document(desk.document(len(texts)))
    for page, text in zip(desk.pages(job), texts, strict=True):
        read(desk, page, text, meanings(text), lines=[{"text": text, "box": BOX}])
    return job


def test_pages_are_found_by_meaning_each_with_its_score(
    desk: Desk, ask: Ask, meanings: Callable[[str], Embedding]
) -> None:
    job = about(desk, meanings, SOUP, LEASE, LEASE + " Rent is paid monthly.")
    found = ask(q="monthly rent of an apartment", by="meaning")
    assert set(places(found)[:2]) == {(str(job.id), 2), (str(job.id), 3)}
    first, second = found["data"][:2]
    assert 1 > first["score"] >= second["score"] >= 0.25
    assert first["boxes"] == [BOX]
    assert ask(q="quarterly revenue of the semiconductor division", by="meaning")["data"] == []


def test_a_list_by_meaning_is_read_on_while_pages_come_and_go(
    desk: Desk, ask: Ask, meanings: Callable[[str], Embedding]
) -> None:
    jobs = [about(desk, meanings, LEASE) for _ in range(4)]
    first = ask(q=LEASE, by="meaning", limit=2)
    about(desk, meanings, LEASE)
    delete_document(identity=desk.identity, document_id=jobs[0].document_id)
    rest = ask(q=LEASE, by="meaning", limit=2, cursor=first["next_cursor"])
    assert [job for job, _ in places(first) + places(rest)] == [str(jobs[number].id) for number in (3, 2, 1)]
    assert ask(q=LEASE, by="meaning", **{"class": "invoice"})["data"] == []


def test_another_tenants_pages_are_never_near(
    desk: Desk, other_identity: Identity, meanings: Callable[[str], Embedding]
) -> None:
    about(desk, meanings, LEASE)
    assert asking(other_identity)(q=LEASE, by="meaning")["data"] == []


def test_a_search_by_meaning_without_a_table_or_its_model_says_so(
    ask: Ask, meanings: Callable[[str], Embedding]
) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE jobs_pageembedding RENAME TO elsewhere")
        try:
            refused = ask(422, q="rent", by="meaning")
        finally:
            cursor.execute("ALTER TABLE elsewhere RENAME TO jobs_pageembedding")
    assert refused["code"] == "meaning_unavailable"


def test_a_search_by_meaning_that_waits_too_long_may_come_again(
    ask: Ask, meanings: Callable[[str], Embedding], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_embedding, "TIMEOUT_S", 0.01)
    with query_embedding._one_at_a_time:
        refused = ask(503, q="what no test has searched for before", by="meaning")
    assert (refused["code"], refused["gate"], refused["retry_after_s"]) == ("meaning_paused", "search_by_meaning", 2)
