from hypothesis import given
from hypothesis import strategies as st

from jobs.intake.pressure import BURST, FEW, NEWCOMERS_S, OVERDUE_S, QUIET_S, STANDING_S, TIMEOUT_S, Pressure


def busy(places: int = 8, service_s: float = 0.04) -> Pressure:
    """Return a `Pressure` at which requests have waited for a while."""
    pressure = Pressure(places, service_s)
    pressure.line(1, 100.0)
    pressure.line(1, 100.0 + STANDING_S + 0.01)
    return pressure


def own_in_line(pressure: Pressure, now_s: float) -> int:
    """Return how many requests of a tenant may wait if no other tenant sends any."""
    own = 0
    while pressure.lets_in(own, pressure.wait_s(own, 1, own), now_s):
        own += 1
    return own


def test_a_burst_at_a_free_door_is_let_in() -> None:
    pressure = Pressure(8)
    pressure.line(1, 100.0)
    assert own_in_line(pressure, 100.01) == BURST


def test_a_line_that_stands_is_kept_short_enough_to_be_served_soon() -> None:
    pressure = busy()
    own = own_in_line(pressure, 100.2)
    assert own < BURST
    assert pressure.wait_s(own - 1, 1, own - 1) <= TIMEOUT_S


def test_the_door_is_strict_until_it_has_been_quiet() -> None:
    pressure = busy()
    pressure.line(0, 100.7)
    pressure.line(1, 100.8)
    assert own_in_line(pressure, 100.8) < BURST
    assert own_in_line(pressure, 100.7 + QUIET_S + 0.1) == BURST


def test_what_is_sent_after_a_refusal_is_no_burst() -> None:
    pressure = Pressure(8)
    pressure.line(1, 100.0)
    assert pressure.lets_in(BURST - 1, 10.0, 100.01)
    assert not pressure.lets_in(BURST - 1, 10.0, 100.01, floods=True)
    assert pressure.lets_in(0, NEWCOMERS_S, 100.01, floods=True)
    assert pressure.longest_wait_s(1, 100.01, floods=True) == OVERDUE_S


def test_a_burst_waits_as_long_as_it_takes_and_who_stands_behind_his_own_not_for_long() -> None:
    assert Pressure(8).longest_wait_s(BURST, 100.0) is None
    assert busy().longest_wait_s(1, 100.6) == OVERDUE_S >= TIMEOUT_S
    assert busy().longest_wait_s(0, 100.6) == NEWCOMERS_S


def test_another_tenant_waits_for_a_turn_and_not_for_the_flood() -> None:
    pressure = busy()
    assert pressure.wait_s(0, 2, 500) < pressure.wait_s(499, 2, 500) / 10
    assert pressure.lets_in(0, pressure.wait_s(0, 2, 500), 100.2)


def test_who_has_nothing_in_line_is_let_in_however_slow_the_flood_makes_it() -> None:
    pressure = busy(service_s=1.0)
    assert pressure.lets_in(0, pressure.wait_s(0, 2, 500), 100.2)
    assert not pressure.lets_in(1, pressure.wait_s(1, 2, 500), 100.2)


def test_however_slow_the_service_is_a_few_of_each_may_wait_a_moment() -> None:
    pressure = busy(places=2, service_s=0.2)
    assert pressure.lets_in(0, pressure.wait_s(0, 1, 0), 100.2)
    assert not pressure.lets_in(FEW, pressure.wait_s(FEW, 1, FEW), 100.2)


def test_the_more_are_refused_the_later_they_are_to_come_again() -> None:
    pressure = busy()
    first = pressure.retry_after_s(100.2, 0.0)
    last = [pressure.retry_after_s(100.2 + at / 1000, 0.0) for at in range(900)][-1]
    assert (first, last) == (1, 3)
    assert pressure.retry_after_s(200.0, 0.0) == 1


@given(st.floats(0, 10), st.integers(1, 64), st.floats(0, 1))
def test_nobody_is_told_to_wait_for_ever(service_s: float, places: int, chance: float) -> None:
    pressure = Pressure(places, service_s)
    assert all(1 <= pressure.retry_after_s(100.0, chance) <= 45 for _ in range(50))
