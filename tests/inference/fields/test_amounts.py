from decimal import Decimal

import pytest

from inference.fields.amounts import decimal_sign, find_amounts, find_percents, normalized_amount, normalized_percent


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("EUR 1.234,56", "1234.56"),
        ("1.234,56 €", "1234.56"),
        ("1 234,56 €", "1234.56"),
        ("1\u202f234,56\u00a0€", "1234.56"),
        ("CHF 1’234.50", "1234.50"),
        ("1'234.5", "1234.50"),
        ("$1,234,567.89", "1234567.89"),
        ("-12,50", "-12.50"),
        ("12,50-", "-12.50"),
        ("(1,234.56)", "-1234.56"),
        ("€ -5,00", "-5.00"),
        ("−5,00 €", "-5.00"),
        ("100,- €", "100.00"),
        ("1.234, 56 €", "1234.56"),
        ("1.234", "1234.00"),
        ("0.875", "0.875"),
        ("RE-2024-001", None),
        ("12:30", None),
        ("19 %", None),
        ("1,00 2,00", None),
        ("", None),
    ],
)
def test_amount_is_a_decimal_string(text: str, normalized: str | None) -> None:
    assert normalized_amount(text) == normalized


def test_three_digits_are_decimals_where_the_document_has_this_decimal_sign() -> None:
    assert find_amounts("1.234", decimal=".")[0].value == Decimal("1.234")
    assert find_amounts("1.234", decimal=",")[0].value == 1234


def test_currency_stands_before_or_after_the_number() -> None:
    found = find_amounts("USD 5.00 and 7,50 Fr. and 3.00 £")
    assert [amount.currency for amount in found] == ["USD", "CHF", "GBP"]


def test_amounts_are_parts_of_the_text() -> None:
    text = "Net 12,00 € and (3,00)"
    assert [text[amount.start : amount.end] for amount in find_amounts(text)] == ["12,00 €", "(3,00)"]


def test_decimal_sign_is_that_of_most_amounts_or_unknown() -> None:
    assert decimal_sign(["1,00", "2,00 €", "3.000,50"]) == ","
    assert decimal_sign(["1,00", "2.00"]) is None
    assert decimal_sign([]) is None


def test_percentages() -> None:
    assert normalized_percent("VAT 8.10 %") == "8.1"
    assert normalized_percent("19 Prozent") == "19"
    assert normalized_percent("5,5% and 20 %") is None
    assert find_percents("250 %") == []


def test_long_texts_take_linear_time() -> None:
    assert len(find_amounts("1 234,50 " * 5000)) > 1000
    assert find_amounts("1" * 50_000) == []
