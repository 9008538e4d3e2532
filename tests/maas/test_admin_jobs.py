"""Tests of the pages of jobs in the admin: what they lead to, tell and cancel."""

from django.test import Client
from django.urls import reverse

from jobs.admin.job_detail import details_of
from jobs.core.models import Event
from jobs.queue.settlement import Failure, fail_page
from jobs.submission.cancellations import cancel_job
from jobs.submission.retries import retry_job
from tenants.core.db.unit_of_work import operator_work
from tests.jobs.conftest import Desk


def test_a_jobs_pages_and_events_and_a_tenants_jobs_are_a_link_away(operator: Client, desk: Desk) -> None:
    desk.submit()
    job = desk.submit(pages=2)
    links = {
        "tenants_tenant": (desk.identity.tenant_id, "jobs_job", "tenant__id__exact", 2),
        "jobs_job": (job.id, "jobs_page", "job__id__exact", 2),
    }
    for model, (key, target, field, rows) in links.items():
        url = f"{reverse(f'admin:{target}_changelist')}?{field}={key}"
        assert f'href="{url}"' in operator.get(reverse(f"admin:{model}_change", args=[key])).content.decode()
        assert operator.get(url).context["cl"].result_count == rows


def test_an_operator_cancels_a_job_through_the_tenants_own_service(operator: Client, desk: Desk) -> None:
    running, ended = desk.submit(), desk.submit()
    desk.finish(desk.pages(ended)[0])
    operator.post(
        reverse("admin:jobs_job_changelist"),
        {"action": "cancel", "confirmed": "yes", "_selected_action": [str(running.id), str(ended.id)]},
    )
    assert desk.again(running).state == "canceled"
    assert desk.again(ended).state == "succeeded"
    assert [page.state for page in desk.pages(running)] == ["canceled"]


def test_a_jobs_page_tells_where_its_pages_ran_its_log_and_its_retries(operator: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    claim = desk.claim(desk.pages(job)[0], "worker-of-this-test")
    assert claim is not None
    fail_page(claim, Failure("model_timeout", "It took too long."), may_retry=False)
    cancel_job(identity=desk.identity, job_id=job.id)
    again = retry_job(identity=desk.identity, job_id=job.id)
    page = operator.get(reverse("admin:jobs_job_change", args=[job.id])).content.decode()
    for words in ("worker-of-this-test", "model_timeout", "It took too long.", "page.failed", "job.canceled"):
        assert words in page
    assert reverse("admin:jobs_job_change", args=[again.id]) in page


def test_a_jobs_page_tells_how_urgent_it_is_and_why_it_waits(operator: Client, desk: Desk) -> None:
    job = desk.submit(pages=2)
    desk.sql("UPDATE jobs_job SET expires_at = '2099-01-02 03:04:05Z' WHERE id = %s", job.id)
    page = operator.get(reverse("admin:jobs_job_change", args=[job.id])).content.decode()
    for words in (
        "<dd>standard</dd>",
        "2 Jan 2099, 03:04:05 UTC</time>, then it expires",
        "Waiting: no worker is running",
    ):
        assert words in page


def test_the_details_of_an_event_are_words(desk: Desk) -> None:
    job = desk.submit()
    claim = desk.claim(desk.pages(job)[0], "w")
    assert claim is not None
    fail_page(claim, Failure("model_timeout", "It took too long."), may_retry=False)
    with operator_work():
        said = [details_of(event, "EUR") for event in Event.objects.filter(job=job).order_by("seq")]
    assert any("model_timeout: It took too long." in words for words in said)
    assert details_of(Event(data={"timings": {"read_ms": 3, "run_ms": 1200}}), "EUR") == "read 3 ms, run 1.2 s"
    known = {"cost_micros": 450, "cached": True, "result_at": "2026-11-27T04:43:04.499118Z"}
    assert details_of(Event(data=known), "EUR") == "cost 0.00045 €, cached, result of 27 Nov 2026, 04:43:04 UTC"
    assert not any("{" in words for words in said)
