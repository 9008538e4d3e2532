"""Test the trace of what this service did, and its simulation."""

import json
from datetime import timedelta
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from inference.models import ModelPool, ServedModel
from jobs.scaling.past_traffic import pages_at_once, past_pages
from tenants.core.db.unit_of_work import operator_work
from tests.fixtures import unique
from tests.jobs.conftest import Desk


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([(0, 10)], 1.0),
        ([(0, 10), (20, 30)], 1.0),
        ([(0, 10), (0, 10)], 2.0),
        ([(0, 10), (5, 15)], 20 / 15),
        ([(0, 100), (10, 20), (200, 210)], 120 / 110),
        ([(5, 5)], 1.0),
    ],
)
def test_pages_at_once_is_the_mean_while_there_are_any(times: list[tuple[float, float]], expected: float) -> None:
    begun, ended = np.array(times, dtype=float).T
    assert pages_at_once(begun, ended) == pytest.approx(expected)


@pytest.fixture
def pool(desk: Desk) -> str:
    """Four pages of one worker that came together: two at once for 10 s, then two at once for 10 s."""
    name = unique("pool")
    with operator_work():
        made = ModelPool.objects.create(name=name)
        ServedModel.objects.filter(id=desk.version.served_model_id).update(pool=made)
    pages = desk.pages(desk.submit(pages=4))
    for number, page in enumerate(pages):
        desk.finish(page)
        began = 50 - 10 * (number // 2)
        desk.rewrite(
            "jobs_page",
            f"UPDATE jobs_page SET worker = '{name}', created_at = now() - interval '60 s', "
            f"started_at = now() - interval '{began} s', finished_at = now() - interval '{began - 10} s' WHERE id = %s",
            page.id,
        )
    return name


def test_pages_come_with_the_work_that_they_were(pool: str) -> None:
    came, work = past_pages(timedelta(days=1))[pool]
    assert len(came) == 4
    assert work == pytest.approx([5.0] * 4, abs=0.2)
    assert pool not in past_pages(timedelta(seconds=10))


def test_a_cache_hit_was_no_work(desk: Desk, pool: str) -> None:
    desk.rewrite("jobs_page", f"UPDATE jobs_page SET cached = true WHERE worker = '{pool}' AND number = 1")
    assert len(past_pages(timedelta(days=1))[pool][0]) == 3


def test_the_last_days_are_simulated(pool: str) -> None:
    written = StringIO()
    call_command("simulate", usage=1.0, node="cpu", json=True, stdout=written, verbosity=0)
    found = json.loads(written.getvalue())
    assert found["requests"] >= 4
    assert {"missed_promises", "p95_wait_s", "replica_hours", "cost", "peak_replicas", "policy"} <= found.keys()


@pytest.mark.parametrize("days", [0.0, -1.0, 1e9])
def test_days_beyond_reason_are_refused(days: float) -> None:
    with pytest.raises(CommandError, match="--usage must be above 0"):
        call_command("simulate", usage=days, verbosity=0)
