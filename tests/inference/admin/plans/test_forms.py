"""Test the amounts in the admin's plan forms: they are exact, and no larger than their sums allow."""

import pytest
from django.forms import ValidationError

from inference.admin.plans.forms import MAX_OF_UNIT, MicrosField, PriceForm


def test_an_amount_is_taken_to_the_sixth_place() -> None:
    assert MicrosField().clean("0.0015") == 1_500


@pytest.mark.parametrize("said", ["-1", "0.0000001", "1000000.000001", "1e30", "NaN", "Infinity", "x"])
def test_a_price_that_no_sum_could_hold_or_that_is_none_is_refused(said: str) -> None:
    with pytest.raises(ValidationError):
        MicrosField(max_value=MAX_OF_UNIT).clean(said)


def test_a_fee_may_be_large_in_currencies_of_small_units() -> None:
    assert MicrosField().clean("1000000000") == 10**15
    with pytest.raises(ValidationError):
        MicrosField().clean("1000000001")


def test_hours_in_memory_have_a_price_for_all_models_and_none_for_a_model_of_the_installation() -> None:
    def form(model: str) -> PriceForm:
        given = {"model": model, "meter": "model_hour", "amount_micros": "0.05", "per": "1"}
        return PriceForm(given, meters={"ocr": "page"})

    assert form("").is_valid()
    assert "ocr is charged per page" in str(form("ocr").errors["meter"])
