"""The spelling in which texts and phrases are compared: letters that recognition confuses are the same there."""

import re
import unicodedata

_CONFUSED = {"i": "l", "1": "l", "|": "l", "!": "l", "0": "o", "5": "s", "8": "b", "ß": "ss"}
_SHAPES = (("rn", "m"), ("vv", "w"), ("ae", "a"), ("oe", "o"), ("ue", "u"))
"""Letters that look like another one, and umlauts that are written as two letters."""
_ACCENTED = range(0xC0, 0x250)
_COMBINING = range(0x300, 0x370)
_HYPHENS = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\s*\n\s*(?=[^\W\d_])")
_BETWEEN = re.compile(r"(?:[^\w\n]|_)+")


def _bare(sign: str) -> str:
    first = unicodedata.normalize("NFKD", sign.casefold())[:1]
    return _CONFUSED.get(sign) or _CONFUSED.get(first, first)


_SAME = (
    {ord(sign): letter for sign, letter in _CONFUSED.items()}
    | {code: _bare(chr(code)) for code in _ACCENTED}
    | dict.fromkeys(_COMBINING, "")
)


def canonical(text: str) -> str:
    """Return the words of a text with single spaces between them, without case, accents and punctuation.

    Line breaks stay, with or without spaces around them.
    """
    bare = text.lower().translate(_SAME)
    for shape, letter in _SHAPES:
        bare = bare.replace(shape, letter)
    return _BETWEEN.sub(" ", bare).strip(" ")


def squeezed(text: str) -> str:
    return text.replace(" ", "")


def mended(text: str) -> str:
    """Return the text with words joined that a hyphen parts at the end of a line."""
    return _HYPHENS.sub("", text)
