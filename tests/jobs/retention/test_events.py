import pytest
from django.core.management import call_command

from jobs.core.errors import EventsErased
from jobs.core.models import Event, Job
from jobs.documents.job_selectors import job_events_after, tenant_events_after
from jobs.retention.events import erase_old_events
from tenants.core.db.unit_of_work import unit_of_work
from tests.jobs.conftest import Desk
from tests.waiting import eventually

from .test_sweep import ended_days_ago, keep


def with_old_events(desk: Desk, days: int) -> Job:
    job = desk.submit()
    desk.finish(desk.pages(job)[0])
    desk.sql(f"UPDATE jobs_event SET created_at = now() - interval '{days} days' WHERE job_id = %s", job.id)
    return desk.again(job)


def number_of(desk: Desk, job: Job) -> int:
    with unit_of_work(desk.identity.tenant_id):
        return Event.objects.filter(job=job).count()


def erase_those_of(desk: Desk, job: Job) -> None:
    """Erase the job's events, once no older transactions of other tests run."""

    def gone() -> bool:
        erase_old_events()
        return number_of(desk, job) == 0

    eventually(gone, "its events are erased")


def test_old_events_are_erased_and_young_ones_stay(desk: Desk) -> None:
    keep(desk, events=30)
    old, young = with_old_events(desk, 31), with_old_events(desk, 29)
    erase_those_of(desk, old)
    assert number_of(desk, young) == young.last_seq


def test_a_cursor_from_before_what_is_kept_is_told_where_to_go_on(desk: Desk) -> None:
    keep(desk, events=30)
    identity = desk.identity
    begun = tenant_events_after(identity, None).cursor
    old = with_old_events(desk, 31)
    young = with_old_events(desk, 1)
    erase_those_of(desk, old)
    with pytest.raises(EventsErased, match="continue after") as told:
        tenant_events_after(identity, begun)
    kept: list[tuple[object, int]] = []

    def all_kept() -> bool:
        page = tenant_events_after(identity, str(told.value.extra["after"]))
        kept[:] = [(event.job_id, event.seq) for event in page.events]
        return len(kept) == young.last_seq

    eventually(all_kept, "the events that are kept")
    assert kept == [(young.id, seq) for seq in range(1, young.last_seq + 1)]
    assert tenant_events_after(identity, None).events == []


def test_of_a_job_whose_first_events_are_erased_the_rest_is_read_from_there(desk: Desk) -> None:
    keep(desk, events=30)
    job = desk.submit()
    desk.sql("UPDATE jobs_event SET created_at = now() - interval '31 days' WHERE job_id = %s", job.id)
    erase_those_of(desk, job)
    desk.finish(desk.pages(job)[0])
    with pytest.raises(EventsErased) as told:
        job_events_after(desk.identity, job.id, 0)
    assert told.value.extra["after"] == 1
    rest = job_events_after(desk.identity, job.id, 1)
    assert [event.seq for event in rest] == list(range(2, desk.again(job).last_seq + 1))


def test_of_a_job_all_of_whose_events_are_erased_that_is_said(desk: Desk) -> None:
    keep(desk, events=30)
    job = with_old_events(desk, 31)
    erase_those_of(desk, job)
    with pytest.raises(EventsErased):
        job_events_after(desk.identity, job.id, 0)
    assert job_events_after(desk.identity, job.id, job.last_seq) == []


def test_without_days_nothing_is_erased(desk: Desk) -> None:
    job = with_old_events(desk, 4000)
    erase_old_events()
    assert number_of(desk, job) == job.last_seq


def test_a_preview_counts_and_erases_nothing(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    keep(desk, events=30, results=30, documents=30)
    job = ended_days_ago(desk, 31)
    desk.sql("UPDATE jobs_event SET created_at = now() - interval '31 days' WHERE job_id = %s", job.id)
    tenant = str(desk.identity.tenant_id)
    call_command("retention", "--dry-run", "--tenant", tenant)
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in said] == [
        [tenant, "1", "jobs"],
        [tenant, str(desk.again(job).last_seq), "events"],
    ]
    assert not desk.again(job).erased
    keep(desk, events=0, results=0)
    call_command("retention", "--dry-run", "--tenant", tenant)
    assert "nothing is overdue" in capsys.readouterr().out
