import threading
from functools import partial
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from maas.scheduler.timing import Aside, Duties, next_due_s
from tenants.core.growing_threads import GrowingThreads
from tests.waiting import eventually


class Clock:
    def __init__(self, *every_s: float) -> None:
        self.now_s = 1_000.0
        self.begun: list[tuple[float, int]] = []
        self._duties = Duties((each, partial(self._begin, number)) for number, each in enumerate(every_s))

    def _begin(self, number: int) -> None:
        self.begun.append((self.now_s, number))

    def go_on(self, seconds: float, look_every_s: float = 0.2) -> None:
        until_s = self.now_s + seconds
        while self.now_s < until_s:
            self._duties.begin_due(self.now_s)
            self.now_s += look_every_s

    def times(self, number: int) -> list[float]:
        return [at_s for at_s, who in self.begun if who == number]


def test_all_begin_at_once_in_the_beginning() -> None:
    clock = Clock(0.2, 5.0, 60.0, 86_400.0)
    clock.go_on(0.1)
    assert [number for _, number in clock.begun] == [0, 1, 2, 3]


def test_duties_of_each_minute_do_not_meet_again() -> None:
    clock = Clock(*[60.0] * 20)
    clock.go_on(0.1)
    clock.begun.clear()
    clock.go_on(300)
    seen = [at_s for at_s, _ in clock.begun]
    assert len(seen) == 100
    assert min(later - sooner for sooner, later in pairwise(seen)) > 2.5


def test_they_do_not_meet_after_a_standstill_either() -> None:
    clock = Clock(*[60.0] * 20)
    clock.go_on(0.1)
    clock.now_s += 600
    clock.go_on(0.1)
    clock.begun.clear()
    clock.go_on(60)
    assert len({at_s for at_s, _ in clock.begun}) == 20


def test_a_duty_is_begun_as_often_as_it_is_to_be() -> None:
    clock = Clock(0.2, 1.0, 5.0)
    clock.go_on(100)
    assert [round(len(clock.times(number)) / 100, 1) for number in range(3)] == [5.0, 1.0, 0.2]


@given(now_ms=st.integers(0, 10**10), every_ms=st.integers(200, 86_400_000), place=st.integers(0, 99))
def test_the_next_time_is_ahead_and_no_further_than_an_interval(now_ms: int, every_ms: int, place: int) -> None:
    next_ms = 1000 * next_due_s(now_ms / 1000, every_ms / 1000, place / 100)
    assert now_ms - 0.01 < next_ms < now_ms + every_ms + 0.01


class Duty:
    """A duty that takes as long as the test says, and then fails."""

    def __init__(self) -> None:
        self.begun = 0
        self.go_on = threading.Event()

    def do(self) -> None:
        self.begun += 1
        assert self.go_on.wait(20)
        raise ValueError("of the duty's own")


def test_duty_that_waits_holds_nobody_up_and_is_not_begun_twice() -> None:
    duty = Duty()
    aside = Aside(duty.do, GrowingThreads("duty", idle_s=1))
    aside()
    eventually(lambda: duty.begun, "the duty")
    aside()
    aside()
    assert duty.begun == 1
    duty.go_on.set()


def test_duty_that_failed_is_begun_again() -> None:
    duty = Duty()
    duty.go_on.set()
    aside = Aside(duty.do, GrowingThreads("duty", idle_s=1))

    def begin() -> bool:
        aside()
        return duty.begun >= 2

    assert eventually(begin, "the second time")
