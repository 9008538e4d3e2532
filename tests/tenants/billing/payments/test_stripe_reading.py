"""Amounts as Stripe counts them."""

import pytest

from tenants.billing.payments.stripe.reading import from_stripe, to_stripe

MICROS = 1_000_000


@pytest.mark.parametrize(
    ("micros", "currency", "number"),
    [
        (12_340_000, "EUR", 1234),
        (500 * MICROS, "JPY", 500),
        (7 * MICROS, "ISK", 700),
        (7 * MICROS, "UGX", 700),
        (5_120_000, "KWD", 5120),
        (5_124_000, "KWD", None),
        (1, "EUR", None),
        (500_000, "JPY", None),
        (0, "EUR", None),
        (-10_000, "EUR", None),
    ],
)
def test_an_amount_is_asked_for_to_the_last_unit_or_not_at_all(micros: int, currency: str, number: int | None) -> None:
    assert to_stripe(micros, currency) == number
    if number is not None:
        assert from_stripe(number, currency) == micros
