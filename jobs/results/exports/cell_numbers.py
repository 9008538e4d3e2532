"""Numbers that a text in a cell can mean in only one way. This module is pure."""

import re
from dataclasses import dataclass

MAX_DIGITS = 15
"""The digits that a spreadsheet keeps. A longer number, such as that of an account, stays text."""
_WHOLE = re.compile(r"0|[1-9]\d*")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})+")
"""A whole number with two separators or more: 1,234,567."""
_DECIMAL = re.compile(r"(0|[1-9]\d*)[.,](\d+)")
_BOTH = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+\.(\d+)|[1-9]\d{0,2}(?:\.\d{3})+,(\d+)")
_MINUS = ("-", "\u2212")


@dataclass(frozen=True, slots=True)
class CellNumber:
    value: int | float
    decimals: int
    grouped: bool
    """The text has separators of thousands."""

    @property
    def pattern(self) -> str:
        """Return how a spreadsheet shows the number as the text does."""
        return ("#,##0" if self.grouped else "0") + ("." + "0" * self.decimals if self.decimals else "")


def cell_number(text: str) -> CellNumber | None:
    """Return the number that the text is. `1.234` and `1,234` are none: they mean one thing or another by language."""
    text = text.strip()
    sign = -1 if text.startswith(_MINUS) else 1
    digits = text[1:] if sign < 0 else text
    if len(digits) > 2 * MAX_DIGITS or not digits.isascii() or sum(map(str.isdigit, digits)) > MAX_DIGITS:
        return None
    if _WHOLE.fullmatch(digits):
        return CellNumber(sign * int(digits), 0, grouped=False)
    if _GROUPED.fullmatch(digits):
        return CellNumber(sign * int(re.sub(r"[.,]", "", digits)), 0, grouped=True)
    if both := _BOTH.fullmatch(digits):
        decimals = len(both[1] or both[2])
        return CellNumber(sign * _value(digits, decimals), decimals, grouped=True)
    decimal = _DECIMAL.fullmatch(digits)
    if decimal is None or (len(decimal[2]) == 3 and decimal[1] != "0" and len(decimal[1]) <= 3):
        return None
    return CellNumber(sign * _value(digits, len(decimal[2])), len(decimal[2]), grouped=False)


def _value(digits: str, decimals: int) -> float:
    plain = re.sub(r"[.,]", "", digits)
    return float(f"{plain[:-decimals]}.{plain[-decimals:]}")
