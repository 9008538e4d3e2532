from uuid import UUID

import pytest
from django.conf import settings

from inference.workers.brokers import queue_depth
from jobs.events.broker import publishing_broker
from jobs.queue.fairness import WINDOW_PER_SLOT, slots_of_one
from jobs.queue.release import release_version, releasing_apart
from tests.jobs.conftest import Desk
from tests.waiting import eventually

WINDOW = WINDOW_PER_SLOT * settings.MAAS_WORKER_THREADS


def waiting(desk: Desk) -> int:
    return queue_depth(publishing_broker(), desk.version.queue_name)


def fetch_one(desk: Desk) -> UUID:
    """Take one page from the broker, as its worker does."""
    consumer = publishing_broker().consume(desk.version.queue_name, prefetch=1, timeout=1000)
    message = next(consumer)
    assert message is not None
    consumer.ack(message)
    consumer.close()
    return UUID(message.kwargs["page_id"])


def test_accepting_wakes_a_worker_at_once(desk: Desk) -> None:
    desk.submit()
    assert waiting(desk) == 1


def test_where_callers_wait_for_answers_a_worker_is_woken_all_the_same(desk: Desk) -> None:
    with releasing_apart():
        desk.submit()
        eventually(lambda: waiting(desk) == 1, "the worker's call")


def test_a_page_with_a_wake_under_way_is_not_woken_again(desk: Desk) -> None:
    desk.submit()
    assert release_version(desk.version.id, desk.version.key) == 0
    assert waiting(desk) == 1


def test_a_lost_message_is_sent_again(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    desk.sql("UPDATE jobs_page SET renotify_at = clock_timestamp() WHERE id = %s", page.id)
    assert release_version(desk.version.id, desk.version.key) == 1


def test_one_tenants_flood_leaves_a_quarter_of_the_threads_to_others(desk: Desk) -> None:
    desk.submit(pages=WINDOW)
    assert waiting(desk) == slots_of_one(settings.MAAS_WORKER_THREADS) < settings.MAAS_WORKER_THREADS


@pytest.fixture
def unshared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow one tenant to use all threads."""
    monkeypatch.setattr(settings, "MAAS_PAGES_AT_ONCE", 0)


@pytest.mark.usefixtures("unshared")
def test_a_flood_does_not_fill_the_broker(desk: Desk) -> None:
    desk.submit(pages=WINDOW * 3)
    assert waiting(desk) == WINDOW
    release_version(desk.version.id, desk.version.key)
    assert waiting(desk) == WINDOW


@pytest.mark.usefixtures("unshared")
def test_a_finished_page_makes_room_for_the_next(desk: Desk) -> None:
    job = desk.submit(pages=WINDOW + 2)
    fetch_one(desk)
    desk.finish(desk.pages(job)[0])
    assert release_version(desk.version.id, desk.version.key) == 1


@pytest.mark.usefixtures("unshared")
def test_pages_are_woken_in_the_order_they_came(desk: Desk) -> None:
    first, second = desk.submit(pages=WINDOW), desk.submit(pages=2)
    woken = [page.renotify_at is not None for page in [*desk.pages(first), *desk.pages(second)]]
    assert woken == [True] * WINDOW + [False, False]


def test_a_page_that_backs_off_is_not_woken_early(desk: Desk) -> None:
    page = desk.pages(desk.submit())[0]
    desk.sql(
        "UPDATE jobs_page SET renotify_at = NULL, run_after = clock_timestamp() + interval '1 hour' WHERE id = %s",
        page.id,
    )
    assert release_version(desk.version.id, desk.version.key) == 0


def test_while_no_worker_listens_the_broker_does_not_fill_with_repeats(desk: Desk) -> None:
    job = desk.submit(pages=WINDOW)
    for _ in range(3):
        desk.sql("UPDATE jobs_page SET renotify_at = clock_timestamp() WHERE job_id = %s", job.id)
        release_version(desk.version.id, desk.version.key)
    assert waiting(desk) == WINDOW
