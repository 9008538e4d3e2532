"""Test the operator's page of simulations: what it orders, shows while it runs, and keeps."""

import html

import pytest
from django.test import Client
from django.urls import reverse

from jobs.simulation.comparison import PolicyName
from maas.ops.simulation_orders import (
    BUSY_KEY,
    Simulated,
    SimulationBusy,
    SimulationOrder,
    _connection,
    simulated,
    start,
)
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("simulation")
GIVEN = {"traffic": "usage-1", "node": "cpu", "price_per_hour": "0.07", "policies": ["ours", "static"]}
ORDER = SimulationOrder(("--scenario", "unknown"), "cpu", (), (PolicyName.OURS,))


@pytest.fixture(autouse=True)
def nothing_runs() -> None:
    _connection().delete(BUSY_KEY, ORDER.key)


def ended() -> Simulated:
    """Return what is known of the order once its process has ended."""

    def look() -> Simulated | None:
        state = simulated(ORDER)
        return state if state is not None and state.problem.startswith("manage.py") else None

    return eventually(look, "the end of the simulation", 60)


def text(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def test_the_form_offers_traffic_nodes_and_policies(operator: Client) -> None:
    shown = text(operator, reverse("admin-simulation"))
    assert "The last 7 days" in shown
    assert "founding: 1.4 million requests a day" in shown
    assert "The smallest fixed number that keeps the promise" in shown


def test_an_order_runs_in_a_process_of_its_own_and_its_result_is_kept(operator: Client) -> None:
    given = GIVEN | {"traffic": "diurnal-spike", "policies": ["ours"]}
    sent = operator.post(reverse("admin-simulation"), given)
    assert sent.status_code == 302
    assert "Simulating" in text(operator, sent["Location"])
    query = sent["Location"].partition("?")[2]

    def ended() -> str:
        shown = text(operator, f"{reverse('admin-simulation-live')}?{query}")
        return "" if "Simulating" in shown else shown

    shown = eventually(ended, "the end of the simulation", 150)
    assert "1,081,230" in shown
    assert "pool: This product's policy" in shown
    found = operator.get(f"{reverse('admin-simulation-json')}?{query}").json()
    assert [run["policy"] for run in found["runs"]] == ["ours"]
    assert found["running"] is None
    assert found["runs"][0]["cost"] == pytest.approx(0.07 * found["runs"][0]["replica_hours"])
    # The same order again is answered at once.
    assert operator.post(reverse("admin-simulation"), given).status_code == 302
    assert "1,081,230" in text(operator, sent["Location"])


def test_bad_numbers_are_named_and_start_nothing(operator: Client) -> None:
    answer = operator.post(reverse("admin-simulation"), GIVEN | {"price_per_hour": "-1"})
    assert "Price per hour: Ensure this value is greater than or equal to 0." in answer.content.decode()
    answer = operator.post(reverse("admin-simulation"), GIVEN | {"policies": []})
    assert "Policies: This field is required." in answer.content.decode()
    assert _connection().get(BUSY_KEY) is None


def test_one_simulation_runs_at_a_time(operator: Client) -> None:
    _connection().set(BUSY_KEY, "another", ex=60)
    answer = operator.post(reverse("admin-simulation"), GIVEN | {"price_per_hour": "0.09"})
    assert "Another simulation is running" in answer.content.decode()
    with pytest.raises(SimulationBusy):
        start(ORDER)


def test_what_cannot_be_simulated_says_why() -> None:
    start(ORDER)
    assert "invalid choice: 'unknown'" in ended().problem
    assert _connection().get(BUSY_KEY) is None


def test_an_order_whose_process_has_gone_is_not_waited_for() -> None:
    start(ORDER)
    _connection().set(BUSY_KEY, "another", ex=60)
    state = simulated(ORDER)
    assert state is not None
    assert state.problem
    ended()


def test_results_that_are_not_there_are_not_found(operator: Client) -> None:
    assert operator.get(reverse("admin-simulation-json")).status_code == 404
