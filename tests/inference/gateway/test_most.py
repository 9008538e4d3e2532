"""Test the most that a call may cost: it never costs more, and no more is reserved than necessary."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inference.core.contracts import TensorInput, TextInput, TokenInput
from inference.gateway.most import max_of, max_units
from inference.rpc.works import LaneWork
from tenants.plans.prices import Meter, Price

TEXTS = TextInput(("four", "žluť", ""), single=False)
TENSORS = TensorInput({"x": np.zeros((2, 2), np.float32)})


def max_micros(run: Price, hit: Price, work: LaneWork, window_tokens: object = None, *, gpu_ms: int) -> int:
    return max_of("embed", run, hit, work, window_tokens, gpu_ms=gpu_ms).micros


def price(meter: Meter, micros: int = 10, per: int = 1) -> Price:
    return Price(meter, micros, per, "EUR")


def test_a_call_is_one_however_much_is_asked() -> None:
    assert max_micros(price("call"), price("call", 1), TEXTS, gpu_ms=9) == 10
    assert max_micros(price("call", 1), price("call", 10), TENSORS, gpu_ms=9) == 10


def test_a_text_has_no_more_tokens_than_bytes_and_its_marks_and_than_are_read_of_it() -> None:
    assert max_units("token", TEXTS) == 6 + 8 + 2
    assert max_units("token", TEXTS, 7) == 6 + 7 + 2
    assert max_units("token", TokenInput(((1, 2, 3), (4,)), single=False)) == 5 + 3
    assert max_micros(price("token"), price("token"), TEXTS, gpu_ms=9) == 160


def test_what_costs_nothing_needs_nothing_and_what_is_not_counted_at_least_one_unit() -> None:
    assert max_micros(price("token", 0), price("token", 0), TEXTS, gpu_ms=9) == 0
    assert max_micros(price("token"), price("token"), TENSORS, gpu_ms=9) == 10
    assert max_micros(price("page"), price("page", 1), TEXTS, gpu_ms=9) == 10


@given(
    st.tuples(st.integers(0, 2_000), st.integers(0, 2_000)),
    st.integers(1, 1_000),
    st.tuples(st.integers(0, 60), st.integers(0, 60)),
)
def test_however_a_list_is_split_into_known_and_run_it_costs_no_more(
    micros: tuple[int, int], per: int, tokens: tuple[int, int]
) -> None:
    run, hit = (price("token", amount, per) for amount in micros)
    whole = TokenInput((tuple(range(sum(tokens))),), single=True)
    most = max_micros(run, hit, whole, window_tokens=sum(tokens), gpu_ms=9)
    assert run.cost_micros(tokens[0]) + hit.cost_micros(tokens[1]) <= most


def test_units_that_it_may_use_are_those_that_its_cost_is_of() -> None:
    most = max_of("embed", price("token"), price("token"), TEXTS, gpu_ms=9)
    assert (most.model, most.meter, most.units, most.micros) == ("embed", "token", 16, 160)
    assert max_of("embed", price("gpu_second"), price("gpu_second"), TENSORS, gpu_ms=9).units == 9


def test_time_is_bounded_by_what_is_charged_of_it_at_most() -> None:
    assert max_micros(price("gpu_second", 3), price("gpu_second", 5), TENSORS, gpu_ms=70) == 350


@given(
    st.tuples(st.integers(0, 2_000), st.integers(0, 2_000)),
    st.integers(1, 1_000),
    st.tuples(st.integers(0, 60), st.integers(0, 60)),
)
def test_however_much_of_the_time_was_known_it_costs_no_more(
    micros: tuple[int, int], per: int, ms: tuple[int, int]
) -> None:
    run, hit = (price("gpu_second", amount, per) for amount in micros)
    most = max_micros(run, hit, TEXTS, gpu_ms=sum(ms))
    assert run.cost_micros(ms[0]) + hit.cost_micros(ms[1]) <= most
