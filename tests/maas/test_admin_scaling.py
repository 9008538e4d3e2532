"""Test the operator's page on scaling, its terms, and the signal for an operator who signed in."""

import html
import time

import pytest
from django.test import Client
from django.urls import reverse

from inference.models import ModelPool, ScalingMinute, ScalingTerms
from inference.workers.heartbeats import Beat, Heartbeat
from jobs.scaling.published import KEY, _connection
from jobs.scaling.watch import ScalingWatch
from tenants.core.db.unit_of_work import operator_work
from tests.fixtures import unique
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("scaling")


@pytest.fixture
def pool() -> str:
    name = unique("pool")
    with operator_work():
        ModelPool.objects.create(name=name)
    heart = Heartbeat(unique("worker"), "CPU")
    heart.beat(Beat(pools=(name,)))
    ScalingWatch().look()
    heart.end()
    return name


def page(operator: Client, name: str = "admin-scaling") -> str:
    """Return the page. Pages give Redis a fifth of a second, which a busy machine may exceed."""

    def shown() -> str:
        answer = operator.get(reverse(name))
        assert answer.status_code == 200
        text = html.unescape(answer.content.decode())
        return "" if "does not answer" in text else text

    return eventually(shown, "an answer of Redis", 30)


def test_the_page_shows_each_pool_with_its_numbers_and_reasons(operator: Client, pool: str) -> None:
    shown = page(operator, "admin-scaling-live")
    assert f"?pool={pool}" in shown
    assert "<td>Dry run</td>" in shown
    assert "1 replica is ready" in shown


def test_the_minutes_are_drawn(operator: Client, pool: str) -> None:
    assert f"Workers of {pool}" in page(operator)
    minute = int(time.time() // 60) - 1
    with operator_work():
        ScalingMinute.objects.create(
            pool=pool, minute=minute, came=5, work_s=9.5, oldest_wait_s=2, ready=1, needed=4, wanted=3
        )
    assert "wanted 3.0, ready 1.0, needed 4.0" in page(operator)


def test_without_a_scheduler_the_page_says_so(operator: Client) -> None:
    _connection().delete(KEY)
    assert "No scheduler has decided within the last seconds" in page(operator)


def test_terms_are_for_pools_that_exist(operator: Client, pool: str) -> None:
    good = {
        "pool": pool, "mode": "follow", "held": 1, "least": 0, "most": 4, "promised_percent": 99, "promised_wait_s": 10,
        "price_per_hour": 0.5, "node_start_s": 120, "up": 2, "up_every_s": 120, "down": 1, "down_every_s": 300,
        "spike_times": "",
    }  # fmt: skip
    address = reverse("admin:inference_scalingterms_add")
    assert "There is no pool nowhere" in operator.post(address, good | {"pool": "nowhere"}).content.decode()
    assert "must not be less than the fewest" in operator.post(address, good | {"least": 9}).content.decode()
    assert operator.post(address, good).status_code == 302
    with operator_work():
        terms = ScalingTerms.objects.get(pool=pool).as_terms(load_s=5.0)
    assert (terms.least, terms.most, terms.promise.share, terms.lead_s) == (0, 4, 0.99, 125.0)


def test_an_operator_who_signed_in_reads_the_signal(operator: Client, client: Client, pool: str) -> None:
    page(operator)
    assert pool in [one["pool"] for one in operator.get("/v1/operator/scaling").json()["data"]]
    assert Client().get("/v1/operator/scaling").status_code == 401
