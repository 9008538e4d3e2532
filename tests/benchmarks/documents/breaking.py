"""Break text into lines of a width, with hyphens where that is asked for."""

from dataclasses import dataclass

from tests.benchmarks.documents.fonts import Font
from tests.benchmarks.documents.sheet import HYPHEN, advance

VOWELS = frozenset("aeiouyäöü")
MIN_LETTERS = 7
MIN_PART = 3


@dataclass(frozen=True)
class Broken:
    """Holds the words of a line; a `broken` line ends with a part of a word and a hyphen."""

    words: tuple[str, ...]
    length: float
    """The sum of the words' lengths, without the gaps."""
    broken: bool = False


def break_lines(
    words: list[str], font: Font, width: float, gap: float, *, hyphens: bool, indent: float = 0
) -> list[Broken]:
    """Fill line after line; a word that is wider than a line stands alone in one."""
    lines: list[Broken] = []
    line: list[str] = []
    used = indent
    left = list(reversed(words))
    while left:
        word = left.pop()
        long = advance(font, word.replace("^", ""))
        if used + long <= width or not line:
            line.append(word)
            used += long + gap
            continue
        parts = hyphenated(word, font, width - used) if hyphens else None
        if parts:
            line.append(parts[0])
            left.append(parts[1])
        else:
            left.append(word)
        lines.append(_closed(line, font, bool(parts)))
        line, used = [], 0.0
    return [*lines, _closed(line, font, False)] if line else lines


def _closed(line: list[str], font: Font, broken: bool) -> Broken:
    return Broken(tuple(line), sum(advance(font, word.replace("^", "")) for word in line), broken)


def hyphenated(word: str, font: Font, width: float) -> tuple[str, str] | None:
    """Split a word before a consonant that a vowel follows, as late as fits in the width."""
    if len(word) < MIN_LETTERS or not word.isalpha():
        return None
    for at in range(len(word) - MIN_PART, MIN_PART - 1, -1):
        splits = word[at].lower() not in VOWELS and word[at + 1] in VOWELS and word[at - 1] + word[at] not in UNSPLIT
        if splits and any(letter in VOWELS for letter in word[:at].lower()):
            first = word[:at] + HYPHEN
            if advance(font, first) <= width:
                return first, word[at:]
    return None


UNSPLIT = frozenset(("ch", "ck", "sh", "th", "ph", "qu", "sc"))
"""The pairs of letters between which no word is split."""
