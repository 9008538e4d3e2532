"""Hyphens at the ends of lines: whether they belong to the word, by how the page spells it elsewhere."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

HYPHENS = frozenset("-\u00ad\u2010")
SOFT_HYPHEN = "\u00ad"
PREFIXES = frozenset({"non", "self", "quasi", "socio", "pseudo"})
"""Beginnings of words that are set off by a hyphen, and hardly ever are the syllable at the end of a line."""
CONJUNCTIONS = frozenset({"and", "or", "und", "oder", "bzw"})
"""Words after a hyphen that stands for the end of a word that follows, as in "pre- and postwar"."""
MIN_PART = 3
"""The letters of both parts of a word, at least, that the page may also have as words of their own."""
MAX_WORD = 60
"""The most letters of a part of a word that is compared."""
LAST_PART = re.compile(r"[^\W_]+$")
FIRST_PART = re.compile(r"[^\W_]+")
WORD = re.compile(r"[^\W_]+(?:[-\u2010][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Spellings:
    """The words of a page as they stand within its lines."""

    words: frozenset[str] = field(default_factory=frozenset)

    def keeps_hyphen(self, before: str, after: str) -> bool:
        """Return whether the hyphen at the end of a line belongs to the word that the next line ends."""
        if before[-1] == SOFT_HYPHEN:
            return False
        if not after[:1].islower():
            return True
        first, second = LAST_PART.search(before[-MAX_WORD - 1 : -1]), FIRST_PART.match(after[:MAX_WORD])
        if first is None or second is None:
            return False
        start, end = first[0].lower(), second[0]
        if start + end in self.words:
            return False
        is_abbreviation = len(first[0]) > 1 and first[0].isupper()
        return is_abbreviation or start in PREFIXES or f"{start}-{end}" in self.words or self._has_both(start, end)

    def _has_both(self, start: str, end: str) -> bool:
        return min(len(start), len(end)) >= MIN_PART and {start, end} <= self.words


def is_suspended(after: str) -> bool:
    """Return whether the hyphen before this text stands for the end of a later word."""
    word = FIRST_PART.match(after[:MAX_WORD])
    return word is not None and word[0] in CONJUNCTIONS


NONE = Spellings()


def spellings_of(texts: Iterable[str]) -> Spellings:
    """Gather the words that begin with a small letter, and those with a hyphen, as small letters.

    The first and the last word of a line may be parts of others. A German noun is not gathered either: within a longer
    word it is written small, and no hyphen is before it.
    """
    found: set[str] = set()
    for text in texts:
        for word in WORD.findall(text)[1:-1]:
            if word[0].islower():
                found.add(word.replace("\u2010", "-"))
            elif "-" in word or "\u2010" in word:
                found.add(word.lower().replace("\u2010", "-"))
    return Spellings(frozenset(found))
