"""Tests of figures that are counted beside the request."""

import threading

from maas.ops.admin.home import Remembered


def test_nobody_waits_for_a_count_that_takes_long() -> None:
    go_on = threading.Event()

    def count() -> int:
        go_on.wait(10)
        return 7

    figure = Remembered(count, every_s=60)
    figure.refresh()
    assert figure.get() is None
    go_on.set()
    assert figure.get(timeout_s=10) == 7


def test_it_is_counted_again_only_when_it_is_old() -> None:
    counts, now = iter(range(10)), [0.0]
    figure = Remembered(lambda: next(counts), every_s=60, clock=lambda: now[0])
    for at_s, wanted in ((0, 0), (59, 0), (60, 1), (61, 1)):
        now[0] = float(at_s)
        figure.refresh()
        assert figure.get(timeout_s=10) == wanted


def test_the_last_count_stays_while_the_next_one_is_under_way_and_when_it_fails() -> None:
    now, divisors = [0.0], iter([6, 0, 2])
    figure = Remembered(lambda: 6 // next(divisors), every_s=60, clock=lambda: now[0])
    for at_s, wanted in ((0, 1), (60, 1), (120, 3)):
        now[0] = float(at_s)
        figure.refresh()
        assert figure.get(timeout_s=10) == wanted
