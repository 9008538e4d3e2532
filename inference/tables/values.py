"""Short values, such as numbers and dates, kept apart from text."""

import re

BLANKS = frozenset({"-", "–", "—", "..", "...", "n/a", "n.a.", "na", "x", "✓", "*"})
_BEFORE = r"[\W_]*(?:(?:[A-Z]{1,3}\s|[A-Z]{0,2}[$€£¥])\s?)?[+\-–(~<>≤≥]{0,2}"
_DIGITS = r"\d[\d\s.,:/'’%\-–()]*"
_AFTER = r"(?:[%€$£¥)*†‡]|[a-z]{0,3}\.?)?\W*"
NUMBER = re.compile(_BEFORE + _DIGITS + _AFTER)

CODE = re.compile(r"(?=.*\d)[A-Z\d][A-Z\d/\-.#]+")


def is_value(text: str) -> bool:
    """Return whether the text is a number, a date, a mark or another short value."""
    text = text.strip()
    return text.lower() in BLANKS or NUMBER.fullmatch(text) is not None


def is_code(text: str) -> bool:
    """Return whether the text is a single word of capital letters and digits, such as a number of an article."""
    return CODE.fullmatch(text.strip()) is not None


def is_year(text: str) -> bool:
    """Return whether the text is four digits, as a year is. In a head it is no value."""
    text = text.strip()
    return len(text) == 4 and text.isdigit()
