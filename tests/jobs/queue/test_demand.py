"""Tests of the number of pages that wait for each model, and of who is notified of it."""

from collections.abc import Iterator, Mapping

import pytest
from django.conf import settings

from inference.core.control import DEMAND, ControlListener
from inference.workers.heartbeats import Beat, Heartbeat
from jobs.events.changes import control_channel
from jobs.queue import slots
from jobs.queue.demand import COUNTED, pages_demand
from tests.fixtures import unique
from tests.jobs.conftest import Desk
from tests.waiting import eventually

pytestmark = pytest.mark.usefixtures("nothing_seen")


@pytest.fixture
def told(desk: Desk) -> Iterator[list[str]]:
    """Collect the notifications about this model. Other tests use the same channel, whatever their database."""
    heard: list[str] = []

    def hear(about: Mapping[str, str]) -> None:
        if about["model"].startswith(desk.version.key):
            heard.append(about["model"])

    listener = ControlListener(settings.MAAS_REDIS_URL, {DEMAND: hear})
    listener.start()
    assert listener.listening.wait(5)
    yield heard
    listener.stop()


def test_waiting_pages_are_counted_with_the_age_of_the_oldest(desk: Desk) -> None:
    first = desk.pages(desk.submit())[0]
    desk.submit()
    desk.sql(
        "UPDATE jobs_page SET created_at = now() - interval '9 s', run_after = now() - interval '9 s' WHERE id = %s",
        first.id,
    )
    demand = pages_demand()[desk.version.key]
    assert demand.waiting == 2
    assert 9 <= demand.oldest_s < 60


def test_pages_that_run_are_done_or_are_to_wait_are_not_waited_for(desk: Desk) -> None:
    running, done, later = (desk.pages(desk.submit())[0] for _ in range(3))
    desk.claimed(running)
    desk.finish(done)
    desk.sql("UPDATE jobs_page SET run_after = now() + interval '1 minute' WHERE id = %s", later.id)
    assert desk.version.key not in pages_demand()


def test_of_very_many_pages_only_so_many_are_counted(desk: Desk) -> None:
    desk.submit(pages=COUNTED + 50)
    assert pages_demand()[desk.version.key].waiting == COUNTED


def test_workers_are_told_when_nobody_takes_pages_of_the_model(desk: Desk, told: list[str]) -> None:
    desk.submit()
    assert eventually(lambda: list(told), "word of it", 10) == [desk.version.key]


def test_nobody_is_told_of_a_model_that_somebody_serves(
    desk: Desk, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    heart = Heartbeat(unique("worker"), "CPU")
    heart.beat(Beat(serving=(desk.version.key,)))
    monkeypatch.setattr(slots, "_last", slots._Seen())
    desk.submit()
    control_channel().tell(DEMAND, model=f"{desk.version.key}, the next")
    assert eventually(lambda: list(told), "the next word", 10) == [f"{desk.version.key}, the next"]
    heart.end()
