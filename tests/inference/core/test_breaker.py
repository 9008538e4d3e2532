"""Test when a server that does not answer is asked again."""

from inference.core.breaker import FIRST_PAUSE_S, LONGEST_PAUSE_S, MAX_FAILURES, Breaker


def opened(at_s: float = 0.0) -> Breaker:
    breaker = Breaker()
    assert [breaker.failed(at_s) for _ in range(MAX_FAILURES)] == [False] * (MAX_FAILURES - 1) + [True]
    return breaker


def test_some_failures_in_a_row_open_it_and_an_answer_between_them_does_not() -> None:
    breaker = Breaker()
    for _ in range(10):
        breaker.failed(0.0)
        assert breaker.asks(0.0)
        breaker.succeeded()
    assert not opened().asks(0.0)


def test_after_a_pause_one_asks_and_the_others_wait_for_what_became_of_it() -> None:
    breaker = opened()
    assert [breaker.asks(FIRST_PAUSE_S) for _ in range(3)] == [True, False, False]
    assert breaker.succeeded()
    assert breaker.asks(FIRST_PAUSE_S)


def test_pauses_grow_up_to_a_bound_and_it_is_told_once() -> None:
    breaker, now_s = opened(), 0.0
    pauses = []
    for _ in range(8):
        now_s = breaker.open_until_s
        assert breaker.asks(now_s)
        assert not breaker.failed(now_s)
        pauses.append(breaker.open_until_s - now_s)
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE_S


def test_many_who_waited_when_it_failed_do_not_stretch_the_pause() -> None:
    """They asked before the breaker opened, so their failures say nothing about the server's present state."""
    breaker = opened()
    for _ in range(5_000):
        assert not breaker.failed(FIRST_PAUSE_S / 2)
    assert breaker.open_until_s == FIRST_PAUSE_S
    assert breaker.asks(FIRST_PAUSE_S)
    breaker.failed(FIRST_PAUSE_S)
    assert breaker.open_until_s == 3 * FIRST_PAUSE_S
