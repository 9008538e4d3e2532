"""The spelling in which texts and phrases are compared: letters that recognition confuses are the same there."""

import re
import unicodedata
from functools import lru_cache

_CONFUSED = str.maketrans("i1|!058", "llllosb")
_SHAPES = (("rn", "m"), ("vv", "w"), ("ae", "a"), ("oe", "o"), ("ue", "u"))
"""Letters that look like another one, and umlauts that are written as two letters."""
_PUNCTUATION = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) not in "|!\n"}
_HYPHENS = re.compile(r"[-\u00ad\u2010](?<=[^\W\d_].)[ \t]*\n\s*(?=[^\W\d_])", re.DOTALL)


def canonical(text: str) -> str:
    """Return the words of a text with single spaces between them, without case, accents and punctuation.

    Line breaks stay, without spaces around them.
    """
    return confused(plain(text))


def plain(text: str) -> str:
    """Return the words of a text in small letters without accents; line breaks stay."""
    bare = text.lower()
    if not bare.isascii():
        for sign in set(bare):
            if not sign.isascii():
                bare = bare.replace(sign, _without_accent(sign))
    lines = bare.translate(_PUNCTUATION).split("\n")
    return "\n".join([" ".join(line.split()) for line in lines])


def confused(text: str) -> str:
    """Return a plain text in which letters that look the same are the same."""
    same = text.translate(_CONFUSED)
    for shape, letter in _SHAPES:
        same = same.replace(shape, letter)
    return same


@lru_cache(maxsize=4096)
def _without_accent(sign: str) -> str:
    """Return the letters below an accent, and a space for a sign that is no letter."""
    if sign == "ß":
        return "ss"
    if unicodedata.combining(sign) or sign == "\u00ad":
        return ""
    letters = "".join(part for part in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(part))
    return letters if letters.isalnum() else " "


def squeezed(text: str) -> str:
    return text.replace(" ", "")


def mended(text: str) -> str:
    """Return the text with words joined that a hyphen parts at the end of a line."""
    return _HYPHENS.sub("", text)
