"""Test that waiting work counts in the pool where it is to run."""

from typing import Any

import pytest

from inference.scaling.signal import PAGES
from jobs.core.priorities import BULK
from jobs.scaling.waiting import waiting_pages
from jobs.scaling.watch import ScalingWatch
from tenants.identity.identity import Identity
from tests.jobs.tiering import Tiers, tiers

__all__ = ["tiers"]

pytestmark = pytest.mark.xdist_group("scaling")


def counted(tiers: Tiers) -> dict[tuple[str, str], int]:
    """Return the waiting pages of the test's model by queue, without the name of the model, and priority."""
    key = tiers.desk.version.key
    return {
        (one.key.removeprefix(key), one.priority): one.pieces
        for one in waiting_pages()
        if one.kind == PAGES and one.key.startswith(key)
    }


def signal_of(pool: str) -> Any:
    return ScalingWatch()._signals()[pool]


@pytest.fixture(autouse=True)
def nothing_released(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.submission.services.release_after_commit", lambda *_: None)


def test_waiting_pages_count_at_the_home_of_their_tier_until_they_are_announced_elsewhere(
    tiers: Tiers, other_identity: Identity
) -> None:
    home, overflow, spot = tiers.pool(), tiers.pool(), tiers.pool(capacity="spot")
    tiers.give(tiers.tier(standard=[home, overflow], bulk=[spot]))
    tiers.worker(home)
    tiers.worker(overflow)
    tiers.submit(40)
    tiers.submit(priority=BULK)
    tiers.submit(identity=other_identity)
    at_home, over = (f"~{home.name}", "standard"), (f"~{overflow.name}", "standard")
    assert counted(tiers) == {at_home: 40, (f"~{spot.name}", "bulk"): 1, ("", "standard"): 1}
    tiers.release()
    moved = tiers.waiting_in(overflow)
    assert moved > 0
    found = counted(tiers)
    assert (found[at_home], found[over]) == (40 - moved, moved)


def test_the_signal_of_a_pool_has_the_work_of_its_tiers(tiers: Tiers) -> None:
    gold = tiers.pool()
    tiers.give(tiers.tier(standard=[gold]))
    tiers.worker(gold, service_s=4.0)
    tiers.submit(10)
    signal = signal_of(gold.name)
    assert [(part.kind, part.priority, part.pieces) for part in signal.parts] == [("pages", "standard", 10)]
    assert [work.key for work in signal.models] == [f"{tiers.desk.version.key}~{gold.name}"]
    assert signal.ready == 1
    assert signal.waiting_work_s == pytest.approx(10 * 4.0 / 2)


def test_a_pool_without_workers_has_a_signal_as_soon_as_work_waits_for_it(tiers: Tiers) -> None:
    gold = tiers.pool()
    tiers.give(tiers.tier(standard=[gold]))
    tiers.submit(3)
    signal = signal_of(gold.name)
    assert (signal.ready, sum(part.pieces for part in signal.parts)) == (0, 3)
