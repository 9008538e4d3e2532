"""Test which tenant gets a child next, and which must give one up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.sandbox.sharing import (
    HALF_LIFE_S,
    MAX_REMEMBERED,
    QUICK_S,
    Request,
    UsedTime,
    look_again_in_s,
    next_request,
    request_to_end,
)

NOW_S = 100.0


def waits(number: int, tenant: str) -> Request:
    return Request(number, tenant, NOW_S)


def runs(number: int, tenant: str, for_s: float) -> Request:
    return Request(number, tenant, NOW_S - for_s)


def ended(waiting: list[Request], held: list[Request], used: dict[str, float], children: int = 2) -> Request | None:
    return request_to_end(waiting, held, used, children=children, now_s=NOW_S)


def test_the_lightest_tenants_first_request_is_next() -> None:
    waiting = [waits(1, "heavy"), waits(3, "light"), waits(2, "light")]
    assert next_request(waiting, {"heavy": 2.0, "light": 1.0}) == waiting[2]
    assert next_request(waiting, {"heavy": 2.0, "light": 3.0}) == waiting[0]


def test_equal_tenants_are_served_in_the_order_in_which_they_came() -> None:
    waiting = [waits(2, "a"), waits(1, "b")]
    assert next_request(waiting, {}) == waiting[1]
    assert next_request([], {}) is None


SLOW, QUICK = QUICK_S + 1, QUICK_S / 2


@pytest.mark.parametrize(
    ("held", "used", "children", "number"),
    [
        pytest.param([(1, "a", SLOW + 1), (2, "a", SLOW)], {"a": 9}, 2, 2, id="the slow one that came last"),
        pytest.param([(1, "a", SLOW), (2, "a", QUICK)], {"a": 9}, 2, None, id="a quick one ends by itself"),
        pytest.param([(1, "a", SLOW)], {"a": 9}, 2, None, id="a child is free, or about to be"),
        pytest.param([(1, "a", SLOW)], {"a": 9}, 1, None, id="the only child"),
        pytest.param([(1, "a", SLOW), (2, "b", SLOW)], {"a": 9, "b": 9}, 2, 2, id="several heavy tenants"),
        pytest.param([(1, "a", SLOW), (2, "b", SLOW)], {"a": 9, "b": 2, "c": 3}, 2, None, id="a lighter one runs"),
        pytest.param([(1, "c", SLOW), (2, "c", SLOW)], {"c": 2}, 2, None, id="its own tenant waits"),
    ],
)
def test_a_slow_request_with_the_last_child_ends_for_a_lighter_tenant(
    held: list[tuple[int, str, float]], used: dict[str, float], children: int, number: int | None
) -> None:
    found = ended([waits(9, "c")], [runs(*one) for one in held], used, children)
    assert (found and found.number) == number


def test_nothing_ends_while_nobody_waits() -> None:
    assert ended([], [runs(1, "a", 50), runs(2, "a", 50)], {"a": 100}) is None


TENANTS = st.sampled_from("abc")
HELD = st.lists(st.builds(runs, st.integers(0, 99), TENANTS, st.floats(0, 50)), unique_by=lambda one: one.number)


@given(
    held=HELD,
    waiting=st.lists(st.builds(waits, st.integers(100, 199), TENANTS), unique_by=lambda one: one.number),
    used=st.dictionaries(TENANTS, st.floats(0, 100)),
    children=st.integers(1, 6),
)
def test_what_came_first_always_goes_on(
    held: list[Request], waiting: list[Request], used: dict[str, float], children: int
) -> None:
    found = request_to_end(waiting, held, used, children=children, now_s=NOW_S)
    if found is not None:
        assert children > 1
        assert all(found.since_s >= one.since_s for one in held)
        assert NOW_S - found.since_s >= QUICK_S
        assert any(used.get(one.tenant, 0) < used.get(found.tenant, 0) for one in waiting)
    assert 0 < look_again_in_s(held, children=children, now_s=NOW_S) <= QUICK_S


def test_time_is_counted_while_it_is_spent_and_forgotten_by_halves() -> None:
    used = UsedTime()
    used.add("a", 4.0, NOW_S)
    later_s = NOW_S + HALF_LIFE_S
    assert used.of([Request(1, "b", later_s - 3)], later_s) == pytest.approx({"a": 2.0, "b": 3.0})
    used.add("a", 1.0, later_s)
    assert used.of([], later_s) == pytest.approx({"a": 3.0})


def test_whoever_had_a_child_long_ago_is_forgotten() -> None:
    used = UsedTime()
    for number in range(MAX_REMEMBERED):
        used.add(str(number), 1.0, 0.0)
    used.add("now", 1.0, 100 * HALF_LIFE_S)
    assert used.of([], 100 * HALF_LIFE_S) == {"now": 1.0}
