"""Test that texts and phrases are compared without regard to what recognition confuses."""

import pytest

from inference.classes.canonical import canonical, mended


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rechnungsbetrag fällig", "RECHNUNGSBETRAG  fallig:"),
        ("Mit freundlichen Grüßen", "mit freundlichen Gruessen"),
        ("Total", "T0ta1"),
        ("invoice no.", "lnvoice_no"),
        ("Modern", "Modem"),
        ("numéro de facture", "NUMERO DE FACTURE"),
    ],
)
def test_what_looks_the_same_is_the_same(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


def test_different_words_stay_different() -> None:
    assert canonical("contract") != canonical("contact")


def test_line_breaks_stay_without_spaces_around_them() -> None:
    assert canonical(" To: \n  you ") == "to\nyou"


def test_words_parted_at_the_end_of_a_line_are_joined() -> None:
    assert mended("the agree-\nment ends on 3-\n4 May") == "the agreement ends on 3-\n4 May"
