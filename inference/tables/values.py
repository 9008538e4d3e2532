"""Short values, such as numbers and dates, kept apart from text."""

import re

BLANKS = frozenset({"-", "–", "—", "..", "...", "n/a", "n.a.", "na", "x", "✓", "*"})
_BEFORE = r"[\W_]*(?:(?:[A-Z]{1,3}\s|[A-Z]{0,2}[$€£¥])\s?)?[+\-–(~<>≤≥]{0,2}"
_DIGITS = r"\d[\d\s.,:/'’%\-–()]*"
_AFTER = r"(?:[%€$£¥)*†‡]|[a-z]{0,3}\.?)?\W*"
NUMBER = re.compile(_BEFORE + _DIGITS + _AFTER)


def is_value(text: str) -> bool:
    """Return whether the text is a number, a date, a mark or another short value."""
    text = text.strip()
    return text.lower() in BLANKS or NUMBER.fullmatch(text) is not None
