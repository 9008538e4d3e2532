"""Tests that a seed determines all faults."""

from dataclasses import replace

import pytest

from .plan import Kind, Wanted, first_shifts, plan_faults

pytestmark = pytest.mark.long

WANTED = Wanted(
    jobs=1000,
    kills=9,
    freezes=3,
    cuts=2,
    wipes=1,
    lease_s=3.0,
    killed=("web-1", "worker-1", "postgres"),
    frozen=("worker-1", "scheduler-1"),
    lines=("web-1",),
    broker="redis",
)


def test_a_seed_gives_the_same_plan_again_and_another_seed_another() -> None:
    assert plan_faults(7, WANTED) == plan_faults(7, WANTED)
    assert plan_faults(7, WANTED) != plan_faults(8, WANTED)


@pytest.mark.parametrize("seed", range(20))
def test_everything_asked_for_happens_in_order_while_there_are_jobs_to_come(seed: int) -> None:
    plan = plan_faults(seed, WANTED)
    assert [sum(fault.kind is kind for fault in plan) for kind in (Kind.KILL, Kind.FREEZE, Kind.WIPE)] == [
        9,
        3,
        1,
    ]
    assert {fault.target for fault in plan if fault.kind is Kind.KILL} == set(WANTED.killed)
    places = [fault.after for fault in plan]
    assert places == sorted(places)
    assert places[0] > 0
    assert places[-1] < WANTED.jobs


def test_what_is_frozen_is_frozen_for_longer_than_a_lease() -> None:
    frozen = [fault for fault in plan_faults(1, replace(WANTED, freezes=20)) if fault.kind is Kind.FREEZE]
    assert min(fault.lasts_s for fault in frozen) > WANTED.lease_s


def test_every_break_of_every_wire_happens_before_any_does_again() -> None:
    wanted = replace(WANTED, breaks=12, wires=("line to postgres", "line to redis"))
    found = [(fault.kind, fault.target) for fault in plan_faults(3, wanted) if fault.target in wanted.wires]
    assert len(found) == 12
    assert len(set(found)) == 10


@pytest.mark.parametrize("promotes", [0, 1])
def test_a_standby_is_promoted_where_that_is_asked_for(promotes: int) -> None:
    plan = plan_faults(4, replace(WANTED, promotes=promotes))
    assert [fault.target for fault in plan if fault.kind is Kind.PROMOTE] == ["postgres"] * promotes


def test_clocks_are_off_by_seconds_and_by_hours_in_both_directions_and_again_so_for_the_same_seed() -> None:
    clocks = ("web-1", "worker-1", "scheduler-1")
    wanted = replace(WANTED, jumps=30, clocks=clocks)
    shifts = [fault.shift_s for fault in plan_faults(2, wanted) if fault.kind is Kind.CLOCK]
    assert len(shifts) == 30
    assert min(shifts) < -1800
    assert min(map(abs, shifts)) < 90
    assert max(shifts) > 1800
    assert first_shifts(2, clocks) == first_shifts(2, clocks) != first_shifts(3, clocks)
