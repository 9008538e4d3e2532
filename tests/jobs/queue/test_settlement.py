from collections.abc import Callable
from uuid import UUID

import pytest
from django.db import DatabaseError, connections

from inference.core.contracts import Units, WorkOutput
from jobs.core import states
from jobs.core.errors import LeaseLost
from jobs.core.models import Page
from jobs.queue.claims import Claim
from jobs.queue.settlement import TIMEOUT_S, Failure, fail_page, finish_page, postpone_page
from jobs.submission.cancellations import cancel_job
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import OPERATOR, unit_of_work
from tests.jobs.conftest import DONE, Desk
from tests.jobs.queue.conftest import at_once
from tests.jobs.queue.test_fair_release import pages_read

BROKEN = Failure("document_corrupt", "The page cannot be read.")


def charged(desk: Desk, page_id: UUID) -> list[int]:
    with unit_of_work(desk.identity.tenant_id):
        return list(UsageRecord.objects.filter(source_id=page_id).values_list("amount_micros", flat=True))


def test_a_finished_page_is_charged_once_with_its_result(desk: Desk) -> None:
    job = desk.submit()
    page = desk.pages(job)[0]
    desk.finish(page)
    assert desk.pages(job)[0].result == {"text": "read"}
    assert charged(desk, page.id) == [1500]
    assert (desk.again(job).state, desk.again(job).cost_micros) == (states.SUCCEEDED, 1500)


def test_finishing_twice_changes_nothing(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    claim = desk.claimed(page)
    finish_page(claim, DONE)
    with pytest.raises(LeaseLost):
        finish_page(claim, DONE)
    assert charged(desk, page.id) == [1500]


@pytest.mark.parametrize(("meter", "cost"), [("page", 7), ("token", 21), ("call", 7), ("gpu_second", 14)])
def test_the_meter_decides_what_is_counted(make_desk: Callable[..., Desk], meter: str, cost: int) -> None:
    desk = make_desk(meter=meter, price_micros=7)
    job = desk.submit()
    desk.finish(desk.pages(job)[0])
    assert desk.again(job).cost_micros == cost


def test_a_failed_page_costs_nothing_and_the_others_finish(desk: Desk) -> None:
    job = desk.submit(pages=3)
    first, second, third = desk.pages(job)
    desk.finish(first)
    fail_page(desk.claimed(second), BROKEN, may_retry=False)
    desk.finish(third)
    ended = desk.again(job)
    assert (ended.state, ended.pages_failed, ended.cost_micros) == (states.PARTIALLY_SUCCEEDED, 1, 3000)
    assert ended.error_code == "pages_failed"
    assert "page 2: The page cannot be read." in ended.error_detail
    assert charged(desk, second.id) == []


def test_a_single_failed_page_gives_the_job_its_own_reason(desk: Desk) -> None:
    job = desk.submit()
    fail_page(desk.claimed(desk.pages(job)[0]), BROKEN, may_retry=False)
    ended = desk.again(job)
    assert (ended.state, ended.error_code) == (states.FAILED, "document_corrupt")


def test_a_passing_trouble_is_tried_again_later_and_at_most_three_times(desk: Desk) -> None:
    job = desk.submit()
    page = desk.pages(job)[0]
    for attempt in (1, 2, 3):
        claim = desk.claimed(page)
        assert claim.attempt == attempt
        fail_page(claim, Failure("storage_unavailable", "no disk"), may_retry=True)
        if attempt < 3:
            assert desk.claim(page) is None, "the back-off must be kept"
            desk.sql("UPDATE jobs_page SET run_after = clock_timestamp() WHERE id = %s", page.id)
    assert desk.again(job).state == states.FAILED


def test_two_last_pages_at_once_close_the_job_once(desk: Desk) -> None:
    job = desk.submit(pages=8)
    claims = [desk.claimed(page) for page in desk.pages(job)]

    at_once(8, lambda number: finish_page(claims[number], DONE))
    ended = desk.again(job)
    assert (ended.state, ended.pages_succeeded, ended.cost_micros) == (states.SUCCEEDED, 8, 8 * 1500)
    with unit_of_work(desk.identity.tenant_id):
        assert job.events.filter(type="job.succeeded").count() == 1


@pytest.mark.parametrize(
    "change",
    [
        "state = 'queued'",
        "finished_at = now()",
        "finished_at = NULL",
        "started_at = now()",
        "pages_succeeded = pages_succeeded + 1",
        "pages_failed = 1",
        "pages_cached = 1",
        "pages_total = 7",
        "cost_micros = 0",
        "currency = 'XXX'",
        "price = '{}'",
        "error_code = 'other'",
        "error_detail = 'other'",
        "livemode = NOT livemode",
        'input = \'{"text": "other"}\'',
        "parameters = '{\"other\": 1}'",
    ],
)
def test_what_a_job_ended_with_cannot_be_changed(desk: Desk, change: str) -> None:
    job = desk.submit()
    desk.finish(desk.pages(job)[0])
    with pytest.raises(DatabaseError, match="cannot be changed"):
        desk.sql(f"UPDATE jobs_job SET {change} WHERE id = %s", job.id)


@pytest.mark.parametrize(
    "change",
    [
        "state = 'queued'",
        "result = '{}'",
        "units = NULL",
        "cost_micros = 0",
        "attempt = 0",
        "error_code = 'other'",
        "error_detail = 'other'",
        "cached = true",
        "finished_at = now()",
        "result_at = now()",
    ],
)
def test_what_a_page_ended_with_cannot_be_changed(desk: Desk, change: str) -> None:
    page = desk.pages(desk.submit())[0]
    desk.finish(page)
    with pytest.raises(DatabaseError, match="cannot be changed"):
        desk.sql(f"UPDATE jobs_page SET {change} WHERE id = %s", page.id)


def test_an_event_of_an_ended_job_does_not_read_its_input(desk: Desk) -> None:
    job = desk.submit()
    with connections[OPERATOR].cursor() as cursor:
        # No compression makes this text small.
        cursor.execute(
            "UPDATE jobs_job SET input = (SELECT jsonb_agg(gen_random_uuid()) FROM generate_series(1, 50000))"
            " WHERE id = %s",
            [job.id],
        )
    desk.finish(desk.pages(job)[0])
    assert pages_read(desk, "UPDATE jobs_job SET last_seq = last_seq + 1 WHERE id = %(job)s", job=job.id) < 100
    with pytest.raises(DatabaseError, match="cannot be changed"):
        desk.sql("UPDATE jobs_job SET input = input || '[1]' WHERE id = %s", job.id)


def test_what_was_sent_and_read_may_go_when_all_has_ended(desk: Desk) -> None:
    job = desk.submit()
    page = desk.pages(job)[0]
    desk.finish(page)
    desk.sql(
        "UPDATE jobs_job SET input = NULL, parameters = '{}', error_detail = '', webhook_url = '', request_id = ''"
        " WHERE id = %s",
        job.id,
    )
    desk.sql("UPDATE jobs_page SET result = NULL, error_detail = '', cache_key = NULL WHERE id = %s", page.id)
    assert desk.again(job).input is None
    assert desk.pages(job)[0].result is None


def test_a_page_that_ends_after_its_job_was_canceled_changes_nothing(desk: Desk) -> None:
    job = desk.submit()
    claim = desk.claimed(desk.pages(job)[0])
    cancel_job(identity=desk.identity, job_id=job.id)
    with pytest.raises(LeaseLost):
        finish_page(claim, DONE)
    with pytest.raises(LeaseLost):
        fail_page(claim, Failure("x", "y"), may_retry=False)
    ended = desk.again(job)
    assert (ended.pages_done, ended.cost_micros) == (0, 0)


def test_recognized_text_with_a_nul_is_kept_without_it(desk: Desk) -> None:
    job = desk.submit()
    finish_page(desk.claimed(desk.pages(job)[0]), WorkOutput({"text": "a\0b \\u0000"}, Units()))
    result = desk.pages(job)[0].result
    assert result is not None
    assert result["text"] == "ab \\u0000"


BUSY = Failure("model_overloaded", "More waited for the model than may.")


@pytest.mark.parametrize("since", ["created_at", "started_at"])
def test_what_a_page_waited_before_its_trouble_takes_nothing_from_its_patience(desk: Desk, since: str) -> None:
    """The page waited for its turn or, since its first claim, for another page's result."""
    page = desk.pages(desk.submit())[0]
    claim = desk.claimed(page)
    _an_hour_ago(desk, page, since)
    assert postpone_page(claim, BUSY) == "postponed"
    assert postpone_page(_claimed_at_once(desk, page), BUSY) == "postponed"


def test_patience_ends_an_hour_after_the_trouble_began(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    assert postpone_page(desk.claimed(page), BUSY) == "postponed"
    _an_hour_ago(desk, page, "started_at")
    assert postpone_page(_claimed_at_once(desk, page), BUSY) == "retrying"


def test_a_full_disk_never_ends_a_pages_patience(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    full = Failure("storage_unavailable", "No room.")
    for _ in range(3):
        claim = _claimed_at_once(desk, page)
        assert postpone_page(claim, full, for_ever=True) == "postponed"
        assert claim.attempt == 1
        _an_hour_ago(desk, page, "started_at")


def _an_hour_ago(desk: Desk, page: Page, since: str) -> None:
    ago = f"clock_timestamp() - interval '{TIMEOUT_S + 1} seconds'"
    desk.sql(f"UPDATE jobs_page SET {since} = {ago} WHERE id = %s", page.id)


def _claimed_at_once(desk: Desk, page: Page) -> Claim:
    desk.sql("UPDATE jobs_page SET run_after = clock_timestamp() WHERE id = %s", page.id)
    return desk.claimed(page)
