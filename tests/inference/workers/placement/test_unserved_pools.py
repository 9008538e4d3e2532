"""Test pools that wait for a worker, and which worker reports them."""

import logging
from dataclasses import replace

import pytest

from inference.workers.placement.fleet import Demand, Snapshot
from inference.workers.placement.unserved_pools import AFTER_S, SAID_EVERY_S, UnservedPools, unserved
from tests.inference.workers.placement.clocks import Clock
from tests.inference.workers.placement.fleets import model, snapshot, worker

WAITS = Demand(1, AFTER_S + 1)
PUBLIC = worker("public", pools=frozenset({"default"}))
FLEET = snapshot(PUBLIC, models=(model("m@1"), model("gpu@1", pool="gpu")), demand={"m@1": WAITS, "gpu@1": WAITS})


def test_a_model_waits_for_nobody_where_no_worker_is_of_its_pool() -> None:
    assert unserved(FLEET) == {"gpu": ["gpu@1"]}


def test_a_worker_that_drains_is_no_worker_of_the_pool() -> None:
    fleet = replace(FLEET, workers=(PUBLIC, worker("gpu", pools=frozenset({"gpu"}))))
    assert unserved(fleet) == {}
    assert unserved(replace(fleet, workers=(PUBLIC, replace(fleet.workers[1], draining=True))))


@pytest.mark.parametrize(
    "fleet",
    [
        replace(FLEET, alone=True),
        replace(FLEET, returning=True),
        replace(FLEET, demand={}),
        replace(FLEET, demand={"gpu@1": Demand(1, AFTER_S - 1)}),
    ],
)
def test_what_is_not_known_or_has_only_begun_to_wait_is_not_said(fleet: Snapshot) -> None:
    assert unserved(fleet) == {}


def test_one_worker_says_it_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    clock, fleet = Clock(), replace(FLEET, workers=(PUBLIC, worker("second", pools=PUBLIC.pools)))
    speakers = [UnservedPools(one.name, clock) for one in fleet.workers]

    def said() -> int:
        caplog.clear()
        for speaker in speakers:
            speaker.look(fleet)
        return sum("pool_without_workers" in record.getMessage() for record in caplog.records)

    with caplog.at_level(logging.WARNING):
        assert [said(), said()] == [1, 0]
        clock.pass_s(SAID_EVERY_S)
        assert said() == 1
