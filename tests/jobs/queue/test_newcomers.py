"""Tests of who passes the messages at hand. Messages that were sent and not fetched belong to the tenant that
floods.
"""

from uuid import UUID

import pytest

from jobs.core.models import Job
from jobs.core.priorities import BULK
from jobs.queue.fair_release import Capacity, take
from jobs.queue.fairness import Notification
from jobs.queue.release import release_version
from tests.jobs.conftest import Desk
from tests.jobs.queue.test_fair_release import finish_all, flood, submit
from tests.jobs.queue.test_release import fetch_one

YOUNG_S = 4.0
"""Seconds that are far more than a test takes, and fewer than until a message is sent again."""


def taken(desk: Desk, pages: int) -> list[Notification]:
    return take(Capacity(desk.version.id, 10**6, pages, 1.0, overtaken_s=YOUNG_S))


def firsts(wakes: list[Notification]) -> list[UUID]:
    return [wake.page_id for wake in wakes if wake.first]


def pages_of(desk: Desk, job: Job) -> list[UUID]:
    return [page.id for page in desk.pages(job)]


def passed_by_none(wakes: list[Notification], pages: list[UUID]) -> bool:
    """Return whether these pages are among those that are announced, and none of them goes first."""
    return set(pages) <= {wake.page_id for wake in wakes} and not firsts(wakes)


class TestBeforeWhatLiesAtHand:
    @pytest.fixture(autouse=True)
    def flooded(self, quiet: None, desk: Desk) -> None:
        flood(desk, 200)
        taken(desk, 16)

    def test_who_has_nothing_under_way(self, desk: Desk, rival: Desk) -> None:
        job = submit(rival)
        assert firsts(taken(desk, 3)) == pages_of(rival, job)

    def test_also_where_all_that_waits_fits(self, desk: Desk, rival: Desk) -> None:
        taken(desk, 184)
        job = submit(rival)
        assert firsts(taken(desk, 3)) == pages_of(rival, job)

    @pytest.mark.parametrize("state", ["queued", "running"])
    def test_never_who_has_something_under_way(self, desk: Desk, rival: Desk, state: str) -> None:
        job = submit(rival)
        assert firsts(taken(desk, 3)) == pages_of(rival, job)
        desk.sql("UPDATE jobs_page SET state = %s WHERE job_id = %s", state, job.id)  # type: ignore[arg-type]
        again = submit(rival)
        assert passed_by_none(taken(desk, 3), pages_of(rival, again))

    def test_not_where_others_were_told_long_ago_and_are_not_begun(self, desk: Desk, rival: Desk) -> None:
        """No tenant is overtaken forever, however many newcomers there are."""
        desk.sql(
            "UPDATE jobs_page SET renotify_at = renotify_at - make_interval(secs => %s)"
            " WHERE model_version_id = %s AND renotify_at IS NOT NULL",
            YOUNG_S,  # type: ignore[arg-type]
            desk.version.id,  # type: ignore[arg-type]
        )
        job = submit(rival)
        assert passed_by_none(taken(desk, 3), pages_of(rival, job))

    def test_bulk_work_passes_nobody(self, desk: Desk, rival: Desk) -> None:
        bulk = submit(rival, BULK)
        assert passed_by_none(taken(desk, 100), pages_of(rival, bulk))

    def test_nor_does_what_is_told_again(self, desk: Desk, rival: Desk) -> None:
        lost = submit(rival)
        taken(desk, 3)
        desk.sql("UPDATE jobs_page SET renotify_at = clock_timestamp() WHERE job_id = %s", lost.id)
        assert passed_by_none(taken(desk, 3), pages_of(rival, lost))

    def test_where_nothing_lies_at_hand_there_is_nobody_to_pass(self, desk: Desk, rival: Desk) -> None:
        job = submit(rival)
        assert passed_by_none(take(Capacity(desk.version.id, 10**6, 3, 1.0)), pages_of(rival, job))

    def test_its_message_is_the_next_that_a_worker_takes(
        self, desk: Desk, rival: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("jobs.queue.release.overtaken_s", lambda *_: YOUNG_S)
        finish_all(desk)
        release_version(desk.version.id, desk.version.key)
        desk.sql("UPDATE jobs_page SET state = 'succeeded' WHERE id = %s", fetch_one(desk))
        job = submit(rival)
        release_version(desk.version.id, desk.version.key)
        assert [fetch_one(desk)] == pages_of(rival, job)
