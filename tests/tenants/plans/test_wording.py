"""Tests of how quantities and the units of prices are written for people."""

import pytest

from tenants.billing.dashboard.money import estimated_money, shown_money
from tenants.billing.invoices.amounts import quantity_of, unit_price
from tenants.plans.prices import Meter, Price
from tenants.plans.wording import exact_money, money, number_of, per_words, rounded_money, used_words


@pytest.mark.parametrize(
    ("quantity", "meter", "words"),
    [
        (1, "page", "1 page"),
        (1_500, "token", "1,500 tokens"),
        (0, "call", "0 calls"),
        (1_000, "gpu_second", "1 GPU second"),
        (1, "gpu_second", "0.001 GPU seconds"),
        (1_234_560, "gpu_second", "1,234.56 GPU seconds"),
    ],
)
def test_what_was_used(quantity: int, meter: Meter, words: str) -> None:
    assert used_words(quantity, meter) == words


@pytest.mark.parametrize(
    ("micros", "words"),
    [
        (0, "0.00 EUR"),
        (-500_000, "-0.50 EUR"),
        (999_999_999, "999.999999 EUR"),
        (1_234_567_891_500_000, "1,234,567,891.50 EUR"),
        (-1_000_000_000, "-1,000.00 EUR"),
    ],
)
def test_thousands_of_an_amount_stand_apart(micros: int, words: str) -> None:
    assert money(micros, "EUR") == words


@pytest.mark.parametrize(
    ("micros", "currency", "words"),
    [
        (0, "EUR", "0.00 €"),
        (1, "EUR", "< 0.01 €"),
        (9_999, "EUR", "< 0.01 €"),
        (10_000, "EUR", "0.01 €"),
        (15_001, "EUR", "0.02 €"),
        (1_234_567_891, "USD", "1,234.57 $"),
        (-1_500, "EUR", "-0.00 €"),
        (-9_999, "EUR", "-0.00 €"),
        (-10_000, "EUR", "-0.01 €"),
        (-1_999_000, "CHF", "-2.00 CHF"),
        (1_234_600_000, "JPY", "1,235 JPY"),
        (999, "JPY", "< 1 JPY"),
        (-999, "JPY", "-0 JPY"),
    ],
)
def test_an_amount_is_rounded_to_what_can_be_paid(micros: int, currency: str, words: str) -> None:
    assert rounded_money(micros, currency) == words


def test_a_page_has_the_exact_amount_on_hover_where_it_says_more() -> None:
    assert shown_money(1_500, "EUR") == '<span title="0.0015 €">&lt; 0.01 €</span>'
    assert shown_money(-1_500, "EUR") == '<span title="-0.0015 €">-0.00 €</span>'
    assert shown_money(1_230_000, "EUR") == "1.23 €"
    assert exact_money(1_230_500, "EUR") == "1.2305 €"


def test_what_is_given_back_is_below_nothing() -> None:
    assert [number_of(-1_500, meter) for meter in ("token", "gpu_second")] == ["-1,500", "-1.5"]


@pytest.mark.parametrize(
    ("meter", "per", "words"),
    [
        ("page", 1, "page"),
        ("token", 1_000, "1,000 tokens"),
        ("gpu_second", 1_000, "GPU second"),
        ("gpu_second", 60_000, "60 GPU seconds"),
    ],
)
def test_what_a_price_is_for(meter: Meter, per: int, words: str) -> None:
    assert per_words(Price(meter, 5, per, "EUR")) == words


def test_an_invoice_shows_seconds() -> None:
    price = Price("gpu_second", 2_000, 1_000, "EUR").to_json()
    assert (quantity_of(90_500, price), unit_price(price)) == ("90.5", "0.002 / GPU second")
    assert quantity_of(7, None) == "7"


def test_an_estimate_below_one_unit_has_two_significant_digits() -> None:
    assert estimated_money(4_500, "EUR") == "0.0045 €"
    assert estimated_money(300_000, "EUR") == "0.30 €"
    assert estimated_money(10_150, "EUR") == '<span title="0.01015 €">0.01 €</span>'
    assert estimated_money(999_999, "EUR") == '<span title="0.999999 €">1.00 €</span>'
    assert estimated_money(1_234_567, "EUR") == shown_money(1_234_567, "EUR")
    assert estimated_money(7, "EUR") == "0.000007 €"
