"""Tests of what is corrected in Tesseract's texts."""

import pytest

from inference.runtime.tesseract_texts import corrected


@pytest.mark.parametrize(
    ("text", "script", "result"),
    [
        ("Счёт  № 7\n", "cyrillic", "Счёт № 7"),
        ("\u200fמספר \u200e4711\u200f\n", "hebrew", "מספר 4711"),
        ("จ\u0e4d\u0e32กัด", "thai", "จำกัด"),
        ("\u00b5ε", "greek", "\u03bcε"),
        ("5 \u00b5m", "cyrillic", "5 \u00b5m"),
        ("и\u0306", "cyrillic", "й"),
        (" \n", "cyrillic", ""),
    ],
)
def test_text_is_as_people_type_it(text: str, script: str, result: str) -> None:
    assert corrected(text, script) == result
