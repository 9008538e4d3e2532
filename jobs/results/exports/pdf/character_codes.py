"""A font's own codes for the characters that a file uses, and an approximate width of each. This module is pure."""

import unicodedata

UNITS_PER_EM = 1000
MAX_CODES = 60_000
REPLACEMENT = "\ufffd"
_NARROW = frozenset("iljtfrI1.,:;'!|()[]{}`-/\\ ")
_BROAD = frozenset("mwMW@%&")


class CharacterCodes:
    """The codes of characters. They count from 1, in the order in which characters are first used."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def code(self, char: str) -> int:
        code = self._codes.get(char)
        if code is None:
            if len(self._codes) >= MAX_CODES:
                char = REPLACEMENT
            code = self._codes.setdefault(char, len(self._codes) + 1)
        return code

    @property
    def characters(self) -> list[str]:
        """Return the characters in the order of their codes."""
        return list(self._codes)


def advance(char: str) -> int:
    """Return the width in thousandths of the font's size, so that invisible words lie about over the picture's."""
    if unicodedata.combining(char):
        return 1
    if unicodedata.east_asian_width(char) in "WF":
        return 1000
    if char in _NARROW:
        return 290
    if char in _BROAD:
        return 860
    return 670 if char.isupper() else 540
