"""Test which models have pages with a higher relative cost than usual."""

import pytest

from inference.workers.placement import relative_costs as hefts
from inference.workers.placement.relative_costs import MAX_TOLD, MOST, RelativeCosts, together


def test_whose_pages_take_ten_times_as_long_is_told_of_and_who_is_usual_is_not() -> None:
    seen = RelativeCosts()
    for _ in range(100):
        seen.add("ocr@1", "heavy", 1.0)
        for light in ("a", "b", "c"):
            seen.add("ocr@1", light, 0.1)
    told = seen.report()["ocr@1"]
    assert 9 < told["heavy"] / told["a"] < 11
    assert told["a"] < 1 < told["heavy"]


def test_of_one_tenant_alone_nothing_is_told() -> None:
    seen = RelativeCosts()
    for _ in range(10):
        seen.add("ocr@1", "only", 3.0)
    assert seen.report() == {}


def test_a_tenant_whose_pages_become_light_is_not_charged_for_what_they_were() -> None:
    seen = RelativeCosts()
    for seconds in (1.0, 0.1):
        for _ in range(40):
            seen.add("ocr@1", "changes", seconds)
            seen.add("ocr@1", "steady", 0.1)
    assert seen.report() == {}


def test_one_page_out_of_all_measure_counts_for_so_much_and_no_more() -> None:
    seen = RelativeCosts()
    seen.add("ocr@1", "hangs", 600.0)
    for _ in range(100):
        seen.add("ocr@1", "light", 0.001)
    assert seen.report()["ocr@1"]["hangs"] == MOST


def test_no_more_are_kept_nor_told_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = RelativeCosts()
    monkeypatch.setattr(hefts, "MAX_KEPT", 500)
    for tenant in range(1000):
        seen.add("ocr@1", str(tenant), float(tenant))
    assert len(seen._of_tenant) == 500
    assert sum(map(len, seen.report().values())) <= MAX_TOLD


def test_several_workers_are_asked_for_their_mean() -> None:
    assert together([{"a": 2.0}, {"a": 4.0, "b": 0.5}]) == {"a": 3.0, "b": 0.5}


def test_who_is_charged_for_more_changes_nothing_of_what_is_usual() -> None:
    seen, plain = RelativeCosts(), RelativeCosts()
    for _ in range(30):
        for one, times in ((seen, 4.0), (plain, 1.0)):
            one.add("ocr@1", "wastes", 0.2, times)
            one.add("ocr@1", "works", 0.2)
    assert plain.report() == {}
    assert 3.9 < seen.report()["ocr@1"]["wastes"] < 4.1
    assert "works" not in seen.report()["ocr@1"]
