"""Corrects what Tesseract writes: characters that look alike, invisible marks and outer spaces."""

import re
from unicodedata import normalize

_MARKS_OF_DIRECTION = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_THAI_AM = ("\u0e4d\u0e32", "\u0e33")
"""Two characters that together look as the third does, which is the one that people type."""
_MICRO, _MU = "\u00b5", "\u03bc"


def corrected(text: str, script: str) -> str:
    """Return the text in logical order, without marks of direction, and composed as people type it."""
    text = normalize("NFC", _MARKS_OF_DIRECTION.sub("", text)).replace(*_THAI_AM)
    if script == "greek":
        text = text.replace(_MICRO, _MU)
    return " ".join(text.split())
