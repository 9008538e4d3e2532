"""The documents of the benchmark are the same each time, and the example has every field."""

import pypdfium2
import pytest

from tests.benchmarks.own_fields.generation import HELD_OUT, KNOWN, document


@pytest.mark.parametrize("name", [*KNOWN, *HELD_OUT])
def test_values_are_printed_where_they_are_expected(name: str) -> None:
    made = document(name, 0)
    assert document(name, 0).fields == made.fields
    with pypdfium2.PdfDocument(made.pdf) as pdf:
        assert len(pdf) == made.pages
        for values in made.fields.values():
            for value in values:
                page = pdf[value.page - 1]
                left, top, right, bottom = value.box
                height = page.get_height()
                text = page.get_textpage().get_text_bounded(left - 1, height - bottom - 1, right + 1, height - top + 1)
                assert [word.strip(".,") for word in text.split()] == [word.strip(".,") for word in value.text.split()]


@pytest.mark.parametrize("name", [*KNOWN, *HELD_OUT])
def test_example_has_all_the_fields_of_its_kind(name: str) -> None:
    fields = document(name, 0).fields.keys()
    others = [document(name, number).fields.keys() for number in range(1, 6)]
    assert all(other <= fields for other in others)
    assert len(others[0]) >= 5
