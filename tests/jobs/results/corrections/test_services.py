"""Test that corrections are kept beside the result, count in exports and search, and can be undone."""

from typing import Any

import pytest
from django.test import Client

from inference.core.contracts import WorkOutput
from jobs.core.models import Correction, Job, Page
from jobs.queue.settlement import finish_page
from jobs.results.corrections.places import MAX_KEPT
from jobs.results.corrections.services import correct_class, correct_line, undo_class, undo_line
from jobs.results.exports.services import JSON, MARKDOWN, TEXT, Format, export_job
from jobs.results.result_json import result_json
from jobs.retention.erasing import erase_job
from jobs.search.selectors import search_jobs
from jobs.submission.cancellations import cancel_job
from jobs.submission.retries import retry_job
from tenants.api.authentication import IDENTITY
from tenants.audit.models import AuditEntry
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk

RESULT = {
    "text": "Invoice\nTota1 due",
    "lines": [{"text": "Invoice", "confidence": 0.9}, {"text": "Tota1 due", "confidence": 0.4}],
    "class": {"label": "letter", "probabilities": {"letter": 1.0}},
}


@pytest.fixture
def job(desk: Desk) -> Job:
    return read(desk)


def read(desk: Desk, pages: int = 1, result: dict[str, Any] = RESULT) -> Job:
    job = desk.submit(pages)
    finish_page(desk.claimed(desk.pages(job)[0]), WorkOutput(result))
    return desk.again(job)


def correct(desk: Desk, job: Job, text: str = "Total due", index: int = 1) -> Correction:
    return correct_line(identity=desk.identity, job_id=job.id, number=1, index=index, text=text)


def exported(desk: Desk, job: Job, format_: Format) -> str:
    return export_job(whose=desk.identity, job_id=job.id, format_=format_).file.read().decode()


def found(desk: Desk, job: Job, words: str) -> bool:
    with unit_of_work(desk.identity):
        return job.id in [hit.job_id for hit in search_jobs(words)]


def ask(identity: Identity, method: str, path: str, body: object = None) -> Any:
    given = {"data": body, "content_type": "application/json"} if method == "PUT" else {}
    return getattr(Client(), method.lower())(path, **given, **{IDENTITY: identity})


def test_the_result_stays_and_the_correction_is_beside_it(desk: Desk, job: Job) -> None:
    correct(desk, job)
    with unit_of_work(desk.identity):
        page = result_json(job)["pages"][0]  # type: ignore[index]
        assert Page.objects.get(job=job).result == RESULT
    assert (page["text"], page["lines"]) == (RESULT["text"], RESULT["lines"])
    (row,) = page["corrections"]
    shown = {name: row[name] for name in ("kind", "index", "original", "corrected")}
    assert shown == {"kind": "line", "index": 1, "original": "Tota1 due", "corrected": "Total due"}


def test_exports_have_the_corrected_text(desk: Desk, job: Job) -> None:
    correct(desk, job)
    for format_ in (TEXT, MARKDOWN):
        assert "Total due" in exported(desk, job, format_)
        assert "Tota1" not in exported(desk, job, format_)
    json = exported(desk, job, JSON)
    assert '"corrected":"Total due"' in json
    assert json.count("Tota1 due") > 1


def test_the_search_finds_the_corrected_words_and_no_longer_the_wrong_ones(desk: Desk, job: Job) -> None:
    assert found(desk, job, "tota1")
    correct(desk, job)
    assert (found(desk, job, "total"), found(desk, job, "invoice"), found(desk, job, "tota1")) == (True, True, False)
    undo_line(identity=desk.identity, job_id=job.id, number=1, index=1)
    assert (found(desk, job, "total"), found(desk, job, "tota1")) == (False, True)


def test_the_last_writer_wins_and_earlier_corrections_are_kept_for_a_while(desk: Desk, job: Job) -> None:
    for number in range(MAX_KEPT + 5):
        correct(desk, job, f"Total {number}")
    with unit_of_work(desk.identity):
        assert [row.corrected for row in job.corrections.filter(ended_at=None)] == [f"Total {MAX_KEPT + 4}"]
        assert job.corrections.count() == MAX_KEPT


def test_a_correction_is_recorded_without_its_text(desk: Desk, job: Job) -> None:
    correct(desk, job)
    undo_line(identity=desk.identity, job_id=job.id, number=1, index=1)
    correct_class(identity=desk.identity, job_id=job.id, number=0, label="invoice")
    with unit_of_work(desk.identity):
        entries = AuditEntry.objects.filter(subject_id=str(job.id)).order_by("at")
        assert [(entry.action, entry.note) for entry in entries] == [
            ("correction.made", "page 1, line 1"),
            ("correction.undone", "page 1, line 1"),
            ("correction.made", "document, class"),
        ]


def test_a_class_that_is_corrected_before_the_job_ends_counts_at_its_end(desk: Desk) -> None:
    job = read(desk, pages=2)
    correct_class(identity=desk.identity, job_id=job.id, number=1, label="invoice")
    assert desk.again(job).class_label == ""
    finish_page(desk.claimed(desk.pages(job)[1]), WorkOutput(RESULT))
    ended = desk.again(job)
    assert (ended.class_label, ended.class_corrected, ended.class_probabilities) == ("invoice", True, {"letter": 1.0})


def test_a_canceled_job_gets_a_class_by_a_correction_alone(desk: Desk) -> None:
    job = read(desk, pages=2)
    cancel_job(identity=desk.identity, job_id=job.id)
    for label, shown in (("letter", ""), ("invoice", "invoice")):
        correct_class(identity=desk.identity, job_id=job.id, number=1, label=label)
        assert desk.again(job).class_label == shown
    undo_class(identity=desk.identity, job_id=job.id, number=1)
    assert (desk.again(job).class_label, desk.again(job).class_corrected) == ("", False)


def test_the_class_of_a_document_is_corrected_beside_what_was_read(desk: Desk, job: Job) -> None:
    made = correct_class(identity=desk.identity, job_id=job.id, number=0, label="letter")
    assert (made.original, desk.again(job).class_corrected) == ("letter", True)
    erase_job(identity=desk.identity, job_id=job.id)
    with unit_of_work(desk.identity):
        erased = Job.objects.get(id=job.id)
        assert (erased.class_label, erased.class_corrected) == ("", False)


def test_corrections_are_erased_with_the_job(desk: Desk, job: Job) -> None:
    correct(desk, job)
    erase_job(identity=desk.identity, job_id=job.id)
    with unit_of_work(desk.identity):
        assert not Correction.objects.filter(job_id=job.id).exists()


def test_a_retry_takes_the_corrections_over(desk: Desk) -> None:
    job = read(desk, pages=2)
    cancel_job(identity=desk.identity, job_id=job.id)
    correct(desk, job)
    again = retry_job(identity=desk.identity, job_id=job.id, request_id="")
    with unit_of_work(desk.identity):
        assert [row.corrected for row in again.corrections.all()] == ["Total due"]
    assert found(desk, again, "total")


@pytest.mark.parametrize(
    ("text", "refusal"),
    [("", InvalidRequest), (" ", InvalidRequest), ("a\nb", InvalidRequest), ("x" * 2001, InvalidRequest)],
)
def test_a_line_has_a_text_of_one_line(desk: Desk, job: Job, text: str, refusal: type[Exception]) -> None:
    with pytest.raises(refusal):
        correct(desk, job, text)


def test_only_what_was_read_is_corrected(desk: Desk) -> None:
    job = read(desk, pages=2)
    with pytest.raises(NotFound, match="Its last line is 1"):
        correct(desk, job, index=2)
    with pytest.raises(NotFound, match="has no correction"):
        undo_line(identity=desk.identity, job_id=job.id, number=1, index=0)
    path = f"/v1/jobs/{job.id}/pages"
    for at in (f"{path}/2/lines/0", f"{path}/2/class"):
        body = {"text": "x"} if at.endswith("0") else {"label": "x"}
        refused = ask(desk.identity, "PUT", at, body)
        assert (refused.status_code, refused.json()["code"]) == (409, "page_not_read")
    assert ask(desk.identity, "PUT", f"{path}/3/lines/0", {"text": "x"}).status_code == 404


def test_the_api_corrects_and_undoes(desk: Desk, job: Job) -> None:
    line = f"/v1/jobs/{job.id}/pages/1/lines/1"
    made = ask(desk.identity, "PUT", line, {"text": "Total due"})
    assert (made.status_code, made.json()["corrected"], made.json()["author"]) == (
        200,
        "Total due",
        made.json()["author"],
    )
    assert [ask(desk.identity, "DELETE", line).status_code for _ in range(2)] == [204, 404]
    for path in (f"/v1/jobs/{job.id}/class", f"/v1/jobs/{job.id}/pages/1/class"):
        assert ask(desk.identity, "PUT", path, {"label": "invoice"}).json()["kind"] == "class"
        assert [ask(desk.identity, "DELETE", path).status_code for _ in range(2)] == [204, 404]
    assert ask(desk.identity, "PUT", line, {"words": "x"}).status_code == 400


@pytest.mark.parametrize("label", ["nonsense", "unsure", "Invoice", ""])
def test_a_class_is_one_that_can_be_chosen(desk: Desk, label: str) -> None:
    job = read(desk, result={"class": {"label": "memo", "probabilities": {"memo": 0.9, "letter": 0.1}}})
    for number in (0, 1):
        with pytest.raises(InvalidRequest, match="one of: memo, letter, invoice, contract, report, form, other"):
            correct_class(identity=desk.identity, job_id=job.id, number=number, label=label)
        assert correct_class(identity=desk.identity, job_id=job.id, number=number, label="memo").corrected == "memo"
    assert desk.again(job).class_label == "memo"


def test_a_page_without_a_class_gets_a_usual_one(desk: Desk) -> None:
    job = read(desk, result={"text": "Hi", "class": "memo"})
    with pytest.raises(InvalidRequest, match="one of: invoice, "):
        correct_class(identity=desk.identity, job_id=job.id, number=1, label="memo")
    correct_class(identity=desk.identity, job_id=job.id, number=1, label="form")
    assert desk.again(job).class_label == "form"


@pytest.mark.parametrize("value", [5, True, 1.5, None, ["Total"], {"a": 1}])
def test_only_a_string_is_a_text(desk: Desk, job: Job, value: object) -> None:
    page = f"/v1/jobs/{job.id}/pages/1"
    for path, field in ((f"{page}/lines/1", "text"), (f"{page}/class", "label")):
        refused = ask(desk.identity, "PUT", path, {field: value})
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
        assert field in refused.content.decode()
    with unit_of_work(desk.identity):
        assert not job.corrections.exists()


def test_a_stranger_corrects_nothing(other_identity: Identity, desk: Desk, job: Job) -> None:
    bodies: list[object] = [{"text": "x"}, {}, []]
    for body in bodies:
        assert ask(other_identity, "PUT", f"/v1/jobs/{job.id}/pages/1/lines/1", body).status_code == 404
    with unit_of_work(desk.identity):
        assert not job.corrections.exists()
