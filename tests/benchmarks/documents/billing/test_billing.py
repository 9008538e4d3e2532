"""Test that generated invoices are true: their fields are printed where the truth says, and their sums add up."""

from decimal import Decimal

import numpy as np
import pytest

from inference.fields.identifiers import is_iban
from tests.benchmarks.documents.billing.design import TEMPLATES, design_of
from tests.benchmarks.documents.billing.generation import generate_billing
from tests.benchmarks.documents.billing.words import LANGUAGES
from tests.benchmarks.documents.fonts import BUILT_IN


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("template", [0, 5, 8])
def test_fields_are_the_words_at_their_places(template: int, language: str) -> None:
    document = generate_billing(template, language, 3, dpi=72, font=BUILT_IN)
    assert {"invoice_number", "issue_date", "supplier", "total"} <= document.fields.keys()
    for name, field in document.fields.items():
        for place in field.places:
            words = [document.pages[place.page - 1].words[number].text for number in place.words]
            assert " ".join(words), name
        if field.places:
            assert len(document.boxes(name)) == len(field.places)
    if "iban" in document.fields:
        assert is_iban(document.fields["iban"].normalized)


def test_sums_add_up() -> None:
    document = generate_billing(2, "de", 1, dpi=72, font=BUILT_IN)
    rates = document.rates.values()
    total = sum((base + tax for base, tax in rates), Decimal(0))
    assert document.fields["total"].normalized == f"{total:.2f}"


def test_the_same_seed_gives_the_same_document() -> None:
    one, other = (generate_billing(4, "fr", 7, dpi=72, font=BUILT_IN) for _ in range(2))
    assert one.fields == other.fields
    assert np.array_equal(one.pages[0].picture, other.pages[0].picture)
    assert generate_billing(4, "fr", 8, dpi=72, font=BUILT_IN).fields != one.fields


def test_designs_differ() -> None:
    assert len({design_of(template) for template in range(TEMPLATES)}) == TEMPLATES
    assert {design_of(template).kind for template in range(TEMPLATES)} == {"invoice", "credit", "receipt"}
