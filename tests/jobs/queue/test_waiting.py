"""Tests of why a job waits and for about how long, as a table."""

import pytest

from jobs.queue.waiting import NextPage, Speed, Standing, standing

PAGE = NextPage(suspended=False, due=True, published=False, at_cap=False, own_before=0, before=0)
TWO_SLOTS = Speed(workers=True, served=True, slots=2, window=4, service_s=3.0)


def page(**more: object) -> NextPage:
    return NextPage(**{**{name: getattr(PAGE, name) for name in PAGE.__slots__}, **more})


def speed(**more: object) -> Speed:
    return Speed(**{**{name: getattr(TWO_SLOTS, name) for name in TWO_SLOTS.__slots__}, **more})


@pytest.mark.parametrize(
    ("waits", "fleet", "expected"),
    [
        (page(), TWO_SLOTS, Standing(0, 3, "starting")),
        (page(published=True, before=9), TWO_SLOTS, Standing(0, 3, "starting")),
        (page(before=7), TWO_SLOTS, Standing(7, 14, "queued_behind_others")),
        (page(before=7, own_before=6), TWO_SLOTS, Standing(7, 14, "queued_behind_others")),
        (page(before=6, own_before=6), TWO_SLOTS, Standing(6, 12, "queued_behind_own")),
        (page(before=None, own_before=6), TWO_SLOTS, Standing(None, None, "queued_behind_others")),
        (page(before=7), speed(service_s=0.0), Standing(7, None, "queued_behind_others")),
        (page(at_cap=True), TWO_SLOTS, Standing(0, None, "concurrency_limit")),
        (page(at_cap=True, published=True), TWO_SLOTS, Standing(0, 3, "starting")),
        (page(before=2), speed(served=False), Standing(2, None, "model_loading")),
        (page(before=2), speed(served=False, workers=False), Standing(2, None, "no_worker")),
        (page(due=False), TWO_SLOTS, Standing(None, None, "retry_pending")),
        (page(suspended=True, due=False), TWO_SLOTS, Standing(None, None, "tenant_suspended")),
    ],
)
def test_a_job_is_told_why_it_waits(waits: NextPage, fleet: Speed, expected: Standing) -> None:
    assert standing(waits, fleet) == expected
