"""Tests of when an endpoint that fails is tried again."""

from hypothesis import given
from hypothesis import strategies as st

from tenants.core.http_client.breaker import FIRST_REST_S, LONGEST_REST_S, MAX_FAILURES, PROBE_S, Circuit


def opened(at_s: float = 0.0) -> Circuit:
    circuit = Circuit()
    for _ in range(MAX_FAILURES):
        assert circuit.lets_through(at_s)
        circuit = circuit.after_request(at_s).failed(at_s)
    return circuit


def test_failures_in_a_row_open_it_and_an_answer_between_them_does_not() -> None:
    circuit = Circuit()
    for _ in range(10):
        for _ in range(MAX_FAILURES - 1):
            circuit = circuit.failed(0.0)
        assert circuit.lets_through(0.0)
        circuit = circuit.succeeded()
    assert not opened().lets_through(FIRST_REST_S - 0.1)


def test_after_a_rest_one_probes_and_the_others_wait_for_what_became_of_it() -> None:
    probed = opened().after_request(FIRST_REST_S)
    assert not probed.lets_through(FIRST_REST_S)
    assert probed.succeeded().lets_through(FIRST_REST_S)
    assert not probed.failed(FIRST_REST_S).lets_through(FIRST_REST_S * 2.9)


def test_a_probe_that_never_comes_back_is_followed_by_another() -> None:
    probed = opened().after_request(FIRST_REST_S)
    assert probed.lets_through(FIRST_REST_S + PROBE_S)


def test_rests_grow_up_to_a_bound() -> None:
    circuit, rests = opened(), []
    for _ in range(40):
        now_s = circuit.paused_until_s
        circuit = circuit.after_request(now_s).failed(now_s)
        rests.append(circuit.paused_until_s - now_s)
    assert rests == sorted(rests)
    assert rests[-1] == LONGEST_REST_S


def test_many_that_were_under_way_when_it_opened_lengthen_nothing() -> None:
    circuit = opened()
    for _ in range(1000):
        circuit = circuit.failed(1.0)
    assert circuit == opened()


@given(st.lists(st.tuples(st.floats(0, 100), st.sampled_from("afs")), max_size=60))
def test_it_never_rests_longer_than_the_longest(steps: list[tuple[float, str]]) -> None:
    circuit, now_s = Circuit(), 0.0
    for passed_s, action in steps:
        now_s += passed_s
        if action == "a" and circuit.lets_through(now_s):
            circuit = circuit.after_request(now_s)
        elif action == "f":
            circuit = circuit.failed(now_s)
        elif action == "s":
            circuit = circuit.succeeded()
        assert circuit.lets_through(now_s + LONGEST_REST_S)
        assert circuit.lets_through(now_s) or circuit.is_open
