import time
from uuid import uuid4

import pytest

from jobs.core import recent_refusals as module
from jobs.core.recent_refusals import REMEMBERED_S, turned_away, was_turned_away


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_until_s", {})


def test_it_holds_for_a_moment_and_for_that_tenant_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = uuid4(), uuid4()
    turned_away(one)
    assert (was_turned_away(one), was_turned_away(other)) == (True, False)
    later_s = time.monotonic() + REMEMBERED_S + 0.1
    monkeypatch.setattr(time, "monotonic", lambda: later_s)
    assert not was_turned_away(one)


def test_very_many_tenants_take_no_more_memory_and_the_old_ones_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_REMEMBERED", 3)
    first = uuid4()
    turned_away(first)
    for _ in range(5):
        turned_away(uuid4())
    turned_away(first)
    assert len(module._until_s) == 3
    assert was_turned_away(first)
    later_s = time.monotonic() + REMEMBERED_S + 0.1
    monkeypatch.setattr(time, "monotonic", lambda: later_s)
    turned_away(newest := uuid4())
    assert list(module._until_s) == [newest]
