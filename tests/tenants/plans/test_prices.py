from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.plans.prices import Price, display


@given(st.integers(0, 10**9), st.integers(1, 10**6), st.integers(0, 10**9))
def test_cost_is_the_exact_fraction_rounded_half_to_even(amount: int, per: int, quantity: int) -> None:
    price = Price(meter="token", amount_micros=amount, per=per, currency="EUR")
    assert price.cost_micros(quantity) == round(Fraction(amount * quantity, per))


@pytest.mark.parametrize(
    ("micros", "shown"),
    [
        (0, "0.00"),
        (1500, "0.0015"),
        (1, "0.000001"),
        (1_000_000, "1.00"),
        (12_345_600, "12.3456"),
        (-20, "-0.00002"),
    ],
)
def test_micro_units_are_shown_without_loss(micros: int, shown: str) -> None:
    assert display(micros) == shown


def test_a_price_survives_its_snapshot() -> None:
    price = Price(meter="page", amount_micros=1500, per=1, currency="EUR")
    assert Price.from_json(price.to_json()) == price


@pytest.mark.parametrize(("amount", "per"), [(-1, 1), (1, 0)])
def test_an_impossible_price_is_refused(amount: int, per: int) -> None:
    with pytest.raises(ValueError, match="not a price"):
        Price(meter="page", amount_micros=amount, per=per, currency="EUR")
