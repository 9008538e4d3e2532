"""Text as a page shows it: without what no page can show, in lines that fit, in the order in which it is seen."""

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
    """In one line. Controls, among them those that would turn the reading direction around, are left out; in the place
    of what no font has stands a sign for it.
    """
    composed = unicodedata.normalize("NFC", text)
    spaced = "".join(" " if character.isspace() else character for character in composed)
    kept = (one for one in spaced if unicodedata.category(one) not in ("Cc", "Cf", "Cs", "Co", "Cn"))
    known = (one if one == " " or has(one) else MISSING for one in kept)
    return " ".join("".join(known).split())


def in_lines(text: str, width: Width, most: float) -> list[str]:
    """What is shown, broken between words; a word that is longer than a line, where it must."""
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
    """From left to right: the page has no other direction."""
    if not any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in line):
        return line
    seen = BidiParagraph(text=line).reorder_resolved_levels()
    return "".join(
        one.character.translate(_MIRRORED) if one.embedding_level % 2 else one.character for one in seen
    )
