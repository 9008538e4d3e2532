"""Tests of the page of one job, as a member of a tenant sees it."""

import re
from collections.abc import Callable

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from inference.core.contracts import WorkOutput
from inference.registry.models import ModelVersion, PipelineStep
from jobs.core.deadlines import Deadlines
from jobs.core.models import DocumentPage, Event, Job
from jobs.core.priorities import BULK
from jobs.dashboard.reading.selectors import MAX_EVENTS, STRIP, reading
from jobs.documents.selectors import get_document
from jobs.queue.claims import say_loading
from jobs.queue.settlement import Failure, Timings, fail_page, finish_page
from jobs.results.corrections.services import correct_class, correct_line
from jobs.retention.erasing import erase_job
from jobs.submission.cancellations import cancel_job
from jobs.submission.retries import retry_job
from jobs.submission.services import JobRequest, submit_job
from tenants.core.db.unit_of_work import APP, operator_work, unit_of_work
from tenants.dashboard_base.moments import moment_html
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk
from tests.jobs.dashboard import conftest

QUERIES = 16
"""The queries are for the session, the user and the membership, then a transaction's begin, the job, the page, the
strip and the pictures, the events of the job, of the page and of the first load, then the key, the corrections, the
email that the document is attached to and the commit.
"""
MAX_BYTES = 60_000
BOX = [[1, 2], [31, 2], [31, 12], [1, 12]]
RESULT = WorkOutput(
    {
        "text": "Invoice\nTotal < 5",
        "lines": [
            {"text": "Invoice", "box": BOX, "confidence": 0.979},
            {"text": "Total < 5", "box": BOX, "confidence": 0.61},
        ],
        "source": "ocr",
        "class": {"label": "invoice", "score": 0.9, "scores": {"letter": 0.1, "invoice": 0.9}},
    }
)


def html(client: Client, job: Job, query: str = "") -> str:
    return conftest.html(client, f"/jobs/{job.id}{query}")


def give_picture(desk: Desk, job: Job, number: int) -> None:
    assert job.document_id is not None
    with unit_of_work(desk.identity.tenant_id):
        DocumentPage.objects.create(
            tenant_id=desk.identity.tenant_id,
            document_id=job.document_id,
            number=number,
            width_px=100,
            height_px=200,
            picture="somewhere.png",
        )


def read(desk: Desk, job: Job, number: int = 1, output: WorkOutput = RESULT) -> None:
    finish_page(desk.claimed(desk.pages(job)[number - 1]), output, Timings(read_ms=3, load_ms=0, run_ms=40))


def erase(desk: Desk, job: Job) -> None:
    with unit_of_work(desk.identity.tenant_id):
        document = get_document(job.document_id)
        document.deleted_at = timezone.now()
        document.save()


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"label": "other", "score": 0.1, "scores": {"letter": 0.2, "other": 0.1}}, "Class: Other"),
        ("invoice", ""),
        ({"label": "invoice", "scores": {"invoice": "high"}}, ""),
    ],
)
def test_a_page_is_of_the_class_that_its_result_names(member: Client, desk: Desk, given: object, shown: str) -> None:
    job = desk.submit()
    read(desk, job, output=WorkOutput({"text": "x", "class": given}))
    page = html(member, job)
    assert shown in page
    assert page.count("<h3>Class") == bool(shown)


def test_a_page_shows_its_picture_with_its_lines_over_it_and_beside_it(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    read(desk, job)
    give_picture(desk, job, 1)
    page = html(member, job)
    assert f'src="/v1/documents/{job.document_id}/pages/1/picture" width="100" height="200"' in page
    assert '<svg class="overlay" viewBox="0 0 100 200"' in page
    assert '<polygon data-line="1" points="1,2 31,2 31,12 1,12">' in page
    assert 'data-line="1" tabindex="0" aria-selected="false"' in page
    assert "Total &lt; 5" in page
    assert "Invoice · 90 %" in page
    assert "1 of 2 pages done" in page


def test_a_line_the_model_is_not_sure_of_is_marked_in_both_places_and_explained(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    read(desk, job)
    give_picture(desk, job, 1)
    page = html(member, job)
    assert '<polygon data-line="2" class="unsure"' in page
    assert 'aria-selected="false" class="line unsure"' in page
    assert "1 line to check" in page
    assert (">97 %<" in page, "Confidence 61 %: Total" in page) == (True, True)


def test_the_documents_own_text_has_no_confidences(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=1 + 1)
    own = {"text": "Own", "lines": [{"text": "Own", "box": BOX, "confidence": 1.0}], "source": "text_layer"}
    read(desk, job, output=WorkOutput(own))
    page = html(member, job)
    assert "show-confidence" not in page
    assert "embedded in the file" in page


def test_what_was_searched_for_is_marked_in_text_and_picture_and_looked_for_on_other_pages_too(
    member: Client, desk: Desk
) -> None:
    job = desk.submit(pages=2)
    read(desk, job)
    give_picture(desk, job, 1)
    page = html(member, job, "?q=invoice+tot")
    assert "<mark>Invoice</mark></span>" in page
    assert "<mark>Total</mark> &lt; 5</span>" in page
    assert '<polygon data-line="1" class="found"' in page
    assert '<polygon data-line="2" class="unsure found"' in page
    assert page.count('href="?page=2&amp;q=invoice+tot"') == 2
    assert '<input type="hidden" name="q" value="invoice tot">' in page
    assert "<mark>" not in html(member, job)


def test_a_page_that_no_worker_has_opened_has_no_broken_picture(member: Client, desk: Desk) -> None:
    page = html(member, desk.submit(pages=2))
    assert "/pages/1/picture" not in page
    assert "This page is queued" in page


def test_a_page_whose_model_is_being_loaded_says_so(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    say_loading(desk.claimed(desk.pages(job)[0]))
    page = html(member, job)
    assert f"Loading the model {desk.version.key}" in page
    assert "loading the model</span>" in page


@pytest.mark.parametrize("state", ["queued", "running", "succeeded", "failed", "canceled"])
def test_a_job_without_events_is_shown(member: Client, desk: Desk, state: str) -> None:
    job = desk.submit()
    if state == "canceled":
        cancel_job(identity=desk.identity, job_id=job.id)
    elif state == "failed":
        fail_page(desk.claimed(desk.pages(job)[0]), Failure("document_corrupt", "no"), may_retry=False)
    elif state == "succeeded":
        read(desk, job)
    elif state == "running":
        desk.claimed(desk.pages(job)[0])
    with operator_work():
        Event.objects.filter(job_id=job.id).delete()
    page = html(member, job)
    assert "The history of this job is no longer stored." in page
    assert "Reused" not in page


def test_the_end_is_told_however_much_happened_before_it(desk: Desk) -> None:
    job = desk.submit(pages=2)
    desk.sql(
        """INSERT INTO jobs_event (tenant_id, job_id, seq, type, data, created_at)
        SELECT tenant_id, id, 100 + n, (ARRAY['page.loading', 'page.retrying'])[n %% 2 + 1], '{"page": 1}', now()
        FROM jobs_job, generate_series(1, 250) n WHERE id = %s""",
        job.id,
    )
    desk.sql("UPDATE jobs_job SET last_seq = 400 WHERE id = %s", job.id)
    cancel_job(identity=desk.identity, job_id=job.id)
    with unit_of_work(desk.identity.tenant_id):
        events = [event.type for event in reading(str(job.id), 1).events]
    assert (events[0], events[-1]) == ("job.queued", "job.canceled")
    assert len(events) <= MAX_EVENTS + 3


def test_a_failed_page_says_why_and_what_a_retry_does(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    read(desk, job)
    fail_page(desk.claimed(desk.pages(job)[1]), Failure("page_unreadable", "Ink & water."), may_retry=False)
    page = html(member, job, "?page=2")
    assert "Ink &amp; water." in page
    assert "page_unreadable" in page
    assert "It reuses the succeeded pages (1) free of charge and processes the missing pages (1) again." in page
    assert 'id="retry-page"' in page
    assert '<a href="?page=2">page 2</a>' in html(member, job)


def test_where_the_time_of_a_page_went_is_said(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    read(desk, job)
    page = html(member, job)
    assert "Opening the page: 3 ms" in page
    assert "Reading: 40 ms" in page
    assert "Loading the model: " not in page


def test_facts_name_the_key_the_price_and_the_file(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    page = html(member, job)
    assert "API key “First key”" in page
    assert "0.0015 € per call" in page
    assert "a.pdf" in page


def test_how_urgent_a_job_is_and_by_when_it_must_be_done_is_said(member: Client, desk: Desk) -> None:
    model = desk.version.served_model.name
    work = {"text": "hello"}
    plain = submit_job(identity=desk.identity, request=JobRequest(model=model, input=work))
    assert "Deadline" not in html(member, plain)
    asked = JobRequest(
        model=model, input=work, priority=BULK, deadlines=Deadlines(expires_after_s=900, cancel_after_s=60)
    )
    job = submit_job(identity=desk.identity, request=asked)
    page = html(member, job)
    assert job.cancel_at is not None
    assert "<dt>Priority</dt><dd>bulk</dd>" in page
    assert f"{moment_html(job.cancel_at, 'second')}, then it is canceled" in page


def test_text_that_was_sent_as_such_is_shown_whole_without_a_picture(member: Client, desk: Desk) -> None:
    job = desk.submit()
    desk.finish(desk.pages(job)[0])
    page = html(member, job)
    assert 'class="plain-text"' in page
    assert 'id="stage"' not in page
    assert "result.pdf" not in page


def test_embeddings_are_shown_by_their_beginnings(member: Client, desk: Desk) -> None:
    job = desk.submit()
    vectors = [[0.125] * 384 for _ in range(7)]
    read(desk, job, output=WorkOutput({"embeddings": vectors, "dimensions": 384, "truncated": [1]}))
    page = html(member, job)
    assert "7 embeddings of 384 numbers" in page
    assert "0.125, 0.125" in page
    assert "2 more. The JSON has all of them." in page
    assert len(page) < MAX_BYTES


def test_tensors_are_shown_with_shape_and_datatype(member: Client, desk: Desk) -> None:
    job = desk.submit()
    output = {"name": "y", "shape": [1, 2], "datatype": "FP32", "data": [0.5, 2.0]}
    read(desk, job, output=WorkOutput({"outputs": [output]}))
    page = html(member, job)
    assert "FP32 [1, 2]" in page
    assert "0.5, 2" in page


def test_a_blank_page_is_told_from_one_without_text(member: Client, desk: Desk) -> None:
    job = desk.submit()
    read(desk, job, output=WorkOutput({"text": "", "lines": []}))
    assert "No text on this page." in html(member, job)


def test_a_huge_text_is_cut_and_says_so(member: Client, desk: Desk) -> None:
    job = desk.submit()
    lines = [{"text": "x" * 100, "box": None, "confidence": 1.0} for _ in range(5000)]
    read(desk, job, output=WorkOutput({"text": "x", "lines": lines}))
    page = html(member, job)
    assert page.count('role="option"') == 2000
    assert "3000 more lines are not shown" in page


def test_a_running_job_can_be_canceled_but_not_retried(member: Client, desk: Desk) -> None:
    job = desk.submit()
    page = html(member, job)
    assert 'id="cancel"' in page
    assert 'id="retry"' not in page
    answer = member.post(f"/jobs/{job.id}/cancel")
    assert (answer.status_code, answer["Location"]) == (302, f"/jobs/{job.id}")
    assert desk.again(job).state == "canceled"


def test_a_retry_opens_the_new_job_which_links_to_the_one_it_repeats(member: Client, desk: Desk) -> None:
    job = cancel_job(identity=desk.identity, job_id=desk.submit(pages=2).id)
    page = html(member, job)
    assert 'id="cancel"' not in page
    assert 'id="retry"' in page
    answer = member.post(f"/jobs/{job.id}/retry")
    again = retry_job(identity=desk.identity, job_id=job.id)
    assert (answer.status_code, answer["Location"]) == (302, f"/jobs/{again.id}")
    assert f'href="/jobs/{job.id}"' in html(member, again)


def test_a_job_that_was_retried_leads_there_and_offers_no_other_retry_meanwhile(member: Client, desk: Desk) -> None:
    job = cancel_job(identity=desk.identity, job_id=desk.submit(pages=2).id)
    again = retry_job(identity=desk.identity, job_id=job.id)
    page = html(member, job)
    assert f'Retried as <a href="/jobs/{again.id}">another job</a> <span class="state queued">' in page
    assert 'id="retry"' not in page
    assert "Retry missing pages" not in page
    cancel_job(identity=desk.identity, job_id=again.id)
    page = html(member, job)
    assert '<span class="state canceled">canceled</span></p>' in page
    assert 'id="retry" class="quiet"' in page


def test_a_file_that_cannot_get_better_is_answered_with_another_one(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=1 + 1)
    read(desk, job)
    fail_page(desk.claimed(desk.pages(job)[1]), Failure("document_corrupt", "Torn."), may_retry=False)
    page = html(member, job, "?page=2")
    assert 'id="retry" class="quiet"' in page
    assert 'id="another" class="button" href="/jobs"' in page
    assert "A retry will not help" in page
    assert 'id="retry-page"' not in page


def test_what_one_more_try_may_mend_is_retried_first(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    fail_page(desk.claimed(desk.pages(job)[0]), Failure("document_corrupt", "Torn."), may_retry=False)
    fail_page(desk.claimed(desk.pages(job)[1]), Failure("model_failed", "No."), may_retry=False)
    page = html(member, job)
    assert 'id="retry">' in page
    assert 'id="another"' not in page


def test_why_the_only_page_failed_is_said_once(member: Client, desk: Desk) -> None:
    job = desk.submit()
    fail_page(desk.claimed(desk.pages(job)[0]), Failure("model_failed", "Ink and water."), may_retry=False)
    assert html(member, job).count("Ink and water.") == 1


def test_how_a_job_ended_stands_where_its_progress_stood(member: Client, desk: Desk) -> None:
    job = desk.submit()
    assert '<div class="course">' in html(member, job)
    desk.finish(desk.pages(job)[0])
    assert re.search(r'<p class="course ended">Done in \d+(\.\d)? m?s</p>', html(member, job))


def test_what_cannot_be_done_any_more_is_said_on_the_page(member: Client, desk: Desk) -> None:
    job = desk.submit()
    desk.finish(desk.pages(job)[0])
    for doing, words in (("cancel", "cannot be canceled"), ("retry", "nothing to retry")):
        answer = member.post(f"/jobs/{job.id}/{doing}")
        assert answer.status_code == 409
        assert words in answer.content.decode()
    assert 'id="cancel"' not in html(member, job)
    assert 'id="retry"' not in html(member, job)


def test_a_viewer_is_offered_no_action_and_refused_it(viewer: Client, desk: Desk) -> None:
    job = desk.submit()
    assert "formaction" not in html(viewer, job)
    assert viewer.post(f"/jobs/{job.id}/cancel").status_code == 403


def test_of_an_erased_document_the_result_stays_and_the_pictures_are_gone(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    read(desk, job)
    give_picture(desk, job, 1)
    cancel_job(identity=desk.identity, job_id=job.id)
    erase(desk, job)
    page = html(member, job)
    assert "a.pdf (deleted)" in page
    assert "Its text is kept here; its page images are gone" in page
    assert "Invoice" in page
    assert ("/pages/1/picture" in page, "result.pdf" in page, 'id="retry"' in page) == (False, False, False)


def test_a_job_of_another_tenant_is_not_found_like_one_that_never_was(
    member: Client, desk: Desk, other_identity: Identity
) -> None:
    foreign = Desk(other_identity, desk.version).submit()
    nobodys = "018f0000-0000-7000-8000-000000000000"
    answers = [member.get(f"/jobs/{name}") for name in (foreign.id, nobodys)]
    answers += [member.post(f"/jobs/{name}/{doing}") for name in (foreign.id, nobodys) for doing in ("cancel", "retry")]
    assert {answer.status_code for answer in answers} == {404}
    blotted = re.compile(rf"{foreign.id}|{nobodys}|[A-Za-z0-9]{{64}}")
    pages = [blotted.sub("", answer.content.decode()) for answer in answers]
    assert pages[0] == pages[1]


@pytest.mark.parametrize("name", ["x", "%00", "018f", "-1"])
def test_what_is_no_id_is_not_found(member: Client, name: str) -> None:
    assert member.get(f"/jobs/{name}").status_code == 404


@pytest.mark.parametrize("page", ["x", "-1", "0", "9999999999", "²"])
def test_a_page_that_the_job_has_not_is_not_found(member: Client, desk: Desk, page: str) -> None:
    assert member.get(f"/jobs/{desk.submit(pages=2).id}?page={page}").status_code == 404


def test_a_page_beyond_the_end_leads_to_the_last(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    answer = member.get(f"/jobs/{job.id}?page=99&q=a+b")
    assert (answer.status_code, answer["Location"]) == (302, f"/jobs/{job.id}?page=2&q=a+b")


def test_a_long_document_shows_the_stretch_of_the_page_and_ways_to_the_others(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2000)
    page = html(member, job, f"?page={2 * STRIP}")
    assert (f'id="thumb-{STRIP}"' in page, f'id="thumb-{STRIP + 1}"' in page) == (False, True)
    assert (f'id="thumb-{2 * STRIP}"' in page, f'id="thumb-{2 * STRIP + 1}"' in page) == (True, False)
    assert f'href="?page={STRIP}"' in page
    assert f'href="?page={2 * STRIP + 1}"' in page
    assert "Searchable PDF, pages 1801 to 2000" in page
    assert len(page) < MAX_BYTES


def test_more_pages_cost_no_more_queries(member: Client, desk: Desk) -> None:
    def queries(pages: int) -> int:
        job = desk.submit(pages=pages)
        give_picture(desk, job, 1)
        with CaptureQueriesContext(connections[APP]) as captured:
            html(member, job)
        return len(captured)

    assert (queries(2), queries(30)) == (QUERIES, QUERIES)


def test_class_sets_are_read_for_their_menu_alone(member: Client, desk: Desk) -> None:
    def read_sets(job: Job, headers: dict[str, str]) -> bool:
        with CaptureQueriesContext(connections[APP]) as captured:
            member.get(f"/jobs/{job.id}?page=2", headers=headers)
        return any("jobs_classset" in query["sql"] for query in captured)

    waiting, ended = desk.submit(pages=2), desk.submit(pages=2)
    cancel_job(identity=desk.identity, job_id=ended.id)
    turning = {"HX-Request": "true", "HX-Target": "leaf"}
    assert [read_sets(ended, {}), read_sets(waiting, {}), read_sets(ended, turning)] == [True, False, False]


def test_the_page_of_an_erased_job_says_when_and_why(member: Client, desk: Desk) -> None:
    job = desk.submit()
    read(desk, job)
    erase_job(identity=desk.identity, job_id=job.id)
    answer = member.get(f"/jobs/{job.id}")
    assert answer.status_code == 410
    words = answer.content.decode()
    assert "on request" in words
    assert "1 page, succeeded" in words


def test_a_job_is_erased_from_its_page_once_that_is_confirmed(member: Client, desk: Desk) -> None:
    document = desk.document(1)
    job, other = desk.submit_document(document), desk.submit_document(document)
    read(desk, job)
    asked = member.get(f"/jobs/{job.id}/erase").content.decode()
    assert "and 1 more job on this file" in asked
    assert member.post(f"/jobs/{job.id}/erase").headers["Location"] == "/jobs"
    assert (desk.again(job).erased, desk.again(other).erased) == (True, False)
    assert member.get(f"/jobs/{job.id}/erase").headers["Location"] == f"/jobs/{job.id}"
    member.post(f"/jobs/{other.id}/erase", {"also": "document"})
    assert desk.again(other).erased


def test_what_is_still_at_work_is_not_erased_from_its_page(member: Client, desk: Desk) -> None:
    job = desk.submit()
    assert "Cancel it first" in member.get(f"/jobs/{job.id}/erase").content.decode()
    assert member.post(f"/jobs/{job.id}/erase").status_code == 409
    assert not desk.again(job).erased


def test_a_viewer_erases_nothing(viewer: Client, desk: Desk) -> None:
    job = desk.submit()
    read(desk, job)
    assert viewer.post(f"/jobs/{job.id}/erase").status_code == 403
    assert not desk.again(job).erased


def test_the_json_of_a_page_is_in_a_tab_that_the_address_names(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    read(desk, job)
    text, json = html(member, job), html(member, job, "?tab=json")
    assert '<a role="tab" id="tab-text" href="?page=1" aria-selected="true" aria-controls="panel"' in text
    assert '<a role="tab" id="tab-json" href="?page=1&amp;tab=json" aria-selected="true"' in json.replace(
        "&tab", "&amp;tab"
    )
    assert ('class="json"' in text, 'class="json"' in json) == (False, True)
    assert "&quot;box&quot;: [" in json
    assert 'href="?page=2&amp;tab=json"' in json
    assert html(member, job, "?tab=none").count('id="lines"') == 1


def test_a_turned_page_has_its_boxes_on_the_picture_as_it_was_read(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    turned = {**RESULT.result, "rotation": 90, "width": 200, "height": 100}
    read(desk, job, output=WorkOutput(turned))
    give_picture(desk, job, 1)
    page = html(member, job)
    assert f'src="/v1/jobs/{job.id}/pages/1/picture" width="200" height="100"' in page
    assert 'viewBox="0 0 200 100"' in page
    assert f'turned-90"><img src="/v1/documents/{job.document_id}/pages/1/picture"' in page


def test_hostile_values_of_an_added_model_break_no_page(member: Client, desk: Desk) -> None:
    odd = {
        "text": 5,
        "lines": [{"text": None, "box": [["a", 1]], "confidence": "high"}, 7, None],
        "blocks": {"a": 1},
        "warnings": {"a": 1},
        "class": {"label": [], "probabilities": []},
        "rotation": [],
        "needs_review": "maybe",
        "source": ["ocr"],
    }
    job = desk.submit()
    read(desk, job, output=WorkOutput(odd))
    assert 'role="option"' in html(member, job)


def test_a_viewer_sees_corrections_without_an_undo(viewer: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    read(desk, job)
    give_picture(desk, job, 1)
    correct_line(identity=desk.identity, job_id=job.id, number=1, index=1, text="Total 5 EUR")
    correct_class(identity=desk.identity, job_id=job.id, number=1, label="contract")
    page = html(viewer, job)
    assert ">Total 5 EUR</span>" in page
    assert '<polygon data-line="2" points=' in page
    assert "<del>Total &lt; 5</del> <ins>Total 5 EUR</ins>" in page
    assert 'id="kind">Contract</span>' in page
    assert "data-undo" not in page


def test_who_may_submit_may_correct(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    read(desk, job)
    correct_line(identity=desk.identity, job_id=job.id, number=1, index=1, text="Total 5 EUR")
    page = html(member, job)
    assert f'data-undo="/v1/jobs/{job.id}/pages/1/lines/1"' in page
    assert f'data-lines="/v1/jobs/{job.id}/pages/1/lines/"' in page
    assert 'data-correct-class="invoice" aria-current="true"' in page


def test_a_page_whose_doubts_are_settled_is_checked(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    read(desk, job, output=WorkOutput({**RESULT.result, "needs_review": True}))
    assert "Check this page" in html(member, job)
    correct_line(identity=desk.identity, job_id=job.id, number=1, index=1, text="Total < 5")
    page = html(member, job)
    assert re.search(r"Checked\s*</span>", page)
    assert ("Check this page" in page, "confirmed" in page) == (False, True)


def test_a_document_is_read_again_with_a_chosen_model_at_a_price(
    member: Client, desk: Desk, make_version: Callable[..., ModelVersion]
) -> None:
    other = make_version(runtime="ocr", meter="page", price_micros=2_000_000)
    job = desk.submit(pages=3)
    assert "Read again with" not in html(member, job)
    cancel_job(identity=desk.identity, job_id=job.id)
    name = other.served_model.name
    assert re.search(rf'value="{name}">.*?6\.00', html(member, job))
    answer = member.post(f"/jobs/{job.id}/read-again", {"model": name})
    assert answer.status_code == 302
    with unit_of_work(desk.identity):
        again = Job.objects.get(id=answer["Location"].rpartition("/")[2])
    assert (again.document_id, again.model_version_id, again.retry_of_id) == (job.document_id, other.id, None)


def test_of_the_models_that_pipelines_are_made_of_only_pipelines_read_again(
    member: Client, desk: Desk, make_version: Callable[..., ModelVersion]
) -> None:
    block, inner, outer, single = (make_version(runtime="ocr", meter="page", price_micros=1500) for _ in range(4))
    with operator_work():
        PipelineStep.objects.create(pipeline=inner, role="read", member=block)
        PipelineStep.objects.create(pipeline=outer, role="ocr", member=inner)
    job = desk.submit(pages=3)
    cancel_job(identity=desk.identity, job_id=job.id)
    page = html(member, job)
    offered = {version.served_model.name for version in (block, inner, outer, single)} & set(
        re.findall(r'name="model" value="([^"]+)"', page)
    )
    assert offered == {version.served_model.name for version in (inner, outer, single)}
    assert re.search(rf'value="{single.served_model.name}">.*?0\.0045 €', page)


def test_a_refused_reading_says_why(member: Client, desk: Desk) -> None:
    job = desk.submit()
    cancel_job(identity=desk.identity, job_id=job.id)
    assert member.post(f"/jobs/{job.id}/read-again", {"model": "x"}).status_code == 404
    with_document = desk.submit(pages=2)
    assert member.post(f"/jobs/{with_document.id}/read-again", {"model": "no such"}).status_code in (404, 409)


def test_a_viewer_reads_nothing_again(viewer: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    cancel_job(identity=desk.identity, job_id=job.id)
    assert "Read again with" not in html(viewer, job)
    assert viewer.post(f"/jobs/{job.id}/read-again", {"model": "parse"}).status_code == 403


def test_a_running_job_says_which_page_is_read_and_how_long_the_rest_takes(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    read(desk, job)
    desk.claimed(desk.pages(job)[1])
    assert re.search(r"Reading page 2 of 2, about \d+ s<", html(member, job))


def cell(column: int, text: str, box: object) -> dict[str, object]:
    spans = {"row": 0, "column": column, "row_span": 1, "column_span": 1, "header": False}
    return {**spans, "text": text, "box": box, "confidence": 0.99}


TABLE = {
    "rows": 1,
    "columns": 2,
    "header_rows": 0,
    "continues": False,
    "box": None,
    "cells": [cell(0, "Nuts", BOX), cell(1, "1.20", [[41, 2], [61, 2], [61, 12], [41, 12]])],
}
WITH_TABLE = {
    "text": "Order\n\nNuts\t1.20\n\nThanks",
    "lines": [
        {"text": "Order", "box": BOX, "confidence": 0.99},
        {"text": "Nuts", "box": BOX, "confidence": 0.5},
        {"text": "1.20", "box": [[41, 2], [61, 2], [61, 12], [41, 12]], "confidence": 0.99},
        {"text": "Thanks", "box": BOX, "confidence": 0.99},
    ],
    "blocks": [
        {"type": "heading", "level": 1, "lines": [0]},
        {"type": "table", "lines": [1, 2], "table": 0},
        {"type": "paragraph", "lines": [3]},
    ],
    "tables": [TABLE],
    "source": "ocr",
}


def test_tables_are_offered_if_a_page_has_any(member: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    read(desk, job, 1, WorkOutput({**RESULT.result, "tables": []}))
    assert "Tables as Excel" not in html(member, job)
    read(desk, job, 2, WorkOutput(WITH_TABLE))
    page = html(member, job)
    assert "Tables as Excel" in page
    assert "tab-tables" not in page
    assert "tab-tables" in html(member, job, "?page=2")


def test_a_table_stands_in_the_text_in_the_place_of_its_lines(member: Client, desk: Desk) -> None:
    job = desk.submit()
    read(desk, job, 1, WorkOutput(WITH_TABLE))
    page = html(member, job, "?q=nuts")
    order, table, thanks = (page.index(part) for part in ('id="line-1"', 'id="line-t1c1"', 'id="line-4"'))
    assert order < table < thanks
    assert 'id="line-2"' not in page
    assert page.count('role="listbox"') == 2
    assert page.count("<mark>Nuts</mark>") == 1
    assert member.get(f"/jobs/{job.id}/checks").json()["places"] == []


def test_lines_stand_where_a_corrected_one_is_not_in_the_table(member: Client, desk: Desk) -> None:
    whole = {"text": "Nuts 1.20", "box": [[1, 2], [61, 2], [61, 12], [1, 12]], "confidence": 0.99}
    lines = [WITH_TABLE["lines"][0], whole]
    blocks = [{"type": "heading", "lines": [0]}, {"type": "table", "lines": [1], "table": 0}]
    job = desk.submit()
    read(desk, job, 1, WorkOutput({**WITH_TABLE, "lines": lines, "blocks": blocks}))
    assert 'id="line-t1c1"' in html(member, job)
    correct_line(identity=desk.identity, job_id=job.id, number=1, index=1, text="Nuts 1.30")
    page = html(member, job)
    assert 'id="line-t1c1"' not in page
    assert "Nuts 1.30" in page
