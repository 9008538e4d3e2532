"""Prepares text for a PDF page: without unprintable characters, in lines that fit, in visual order."""

import unicodedata
from collections.abc import Callable, Iterator

from fpdf.bidi import BidiParagraph

Width = Callable[[str], float]
Known = Callable[[str], bool]
MISSING = "\N{REPLACEMENT CHARACTER}"
_RIGHT_TO_LEFT = {"R", "AL", "AN"}
_MIRRORED = str.maketrans("()<>[]{}«»‹›", ")(><][}{»«›‹")


def _always(character: str) -> bool:
    return True


def shown(text: str, has: Known = _always) -> str:
    """Return the text as one line.

    Control characters are left out, including those that reverse the reading direction. A character that no font has is
    replaced by a sign.
    """
    composed = unicodedata.normalize("NFC", text)
    spaced = "".join(" " if character.isspace() else character for character in composed)
    kept = (one for one in spaced if unicodedata.category(one) not in ("Cc", "Cf", "Cs", "Co", "Cn"))
    known = (one if one == " " or has(one) else MISSING for one in kept)
    return " ".join("".join(known).split())


def in_lines(text: str, width: Width, most: float) -> list[str]:
    """Break the text between words. A word that is longer than a line is broken where necessary."""
    lines = [""]
    for word in _parts(text, width, most):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if width(joined) <= most:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


def _parts(text: str, width: Width, most: float) -> Iterator[str]:
    for word in text.split():
        if width(word) <= most:
            yield word
            continue
        part = ""
        for character in word:
            if part and width(part + character) > most:
                yield part
                part = ""
            part += character
        yield part


def as_seen(line: str) -> str:
    """Return the line in visual order from left to right, because the page has no other direction."""
    if not any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in line):
        return line
    seen = BidiParagraph(text=line).reorder_resolved_levels()
    return "".join(
        one.character.translate(_MIRRORED) if one.embedding_level % 2 else one.character for one in seen
    )
