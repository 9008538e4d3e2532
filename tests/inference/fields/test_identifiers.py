import pytest

from inference.fields.identifiers import find_ibans, find_vat_numbers, normalized_iban, normalized_vat


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("DE89 3704 0044 0532 0130 00", "DE89370400440532013000"),
        ("GB82 WEST 1234 5698 7654 32", "GB82WEST12345698765432"),
        ("FR14 2004 1010 0505 0001 3M02 606", "FR1420041010050500013M02606"),
        ("CH93 0076 2011 6238 5295 7", "CH9300762011623852957"),
        ("DE89 3704 0044 0532 0130 01", None),
        ("DE89 3704 0044 0532 0130", None),
        ("XX89 3704 0044 0532 0130 00", None),
    ],
)
def test_iban_has_the_length_of_its_country_and_right_check_digits(text: str, normalized: str | None) -> None:
    assert normalized_iban(text) == normalized


def test_iban_ends_where_its_country_says() -> None:
    text = "IBAN: DE89 3704 0044 0532 0130 00 BIC COBADEFFXXX"
    (found,) = find_ibans(text)
    assert text[found.start : found.end] == "DE89 3704 0044 0532 0130 00"
    assert found.is_exact


def test_misread_digits_are_put_right_if_the_check_digits_prove_it() -> None:
    (found,) = find_ibans("DE89 37O4 0044 0532 0I30 00")
    assert found.normalized == "DE89370400440532013000"
    assert found.text == "DE89 37O4 0044 0532 0I30 00"
    assert not found.is_exact


@pytest.mark.parametrize(
    "number",
    [
        "DE136695976",
        "ATU13585627",
        "FR40303265045",
        "ESB58378431",
        "IT00743110157",
        "NL004495445B01",
        "BE0428759497",
        "GB980780684",
        "CHE100155212MWST",
        "PL8567346215",
        "PT501964843",
        "IE6433435F",
        "DK13585628",
        "FI20774740",
        "LU15027442",
    ],
)
def test_vat_numbers_have_check_digits(number: str) -> None:
    assert normalized_vat(number) == number
    (found,) = find_vat_numbers(f"VAT no. {number}, page 1")
    assert found.text == number
    digit = next(position for position in range(len(number) - 1, 0, -1) if number[position].isdigit())
    if number[:2] not in ("NL", "CH"):
        wrong = str((int(number[digit]) + 1) % 10)
        assert normalized_vat(number[:digit] + wrong + number[digit + 1 :]) is None


def test_vat_number_with_points_and_spaces() -> None:
    assert normalized_vat("CHE-100.155.212 MWST") == "CHE100155212MWST"
    assert normalized_vat("hello") is None
