"""The labels by how they are spelled, each with the roles that it has in the languages that know it."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from inference.classes.canonical import confused, plain
from inference.fields.labels import dutch, english, french, german, italian, spanish

LANGUAGES: Mapping[str, str] = {
    "en": english.LABELS,
    "de": german.LABELS,
    "fr": french.LABELS,
    "es": spanish.LABELS,
    "it": italian.LABELS,
    "nl": dutch.LABELS,
}
INVOICES = frozenset({"title", "credit_title"})
UNNUMBERED = frozenset({"your bill", "rekening"})
"""The titles that a number behind them does not belong to. `rekening` is also a bank account."""
TITLES = frozenset({"title", "credit_title", "other_title"})
MIN_MISSPELLED = 8
"""The letters of a spelling, at least, in which one letter may be wrong."""
SHORT = 3
KEY = 2
"""The letters at the start of a phrase by which it is looked up."""
_WORD = re.compile(r"[^\W_]+")
Roles = Mapping[str, frozenset[str]]
"""The roles of a phrase by language."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    roles: Mapping[str, Roles]
    """The roles of each phrase, which is spelled without spaces, as `spelled` does."""
    by_start: Mapping[str, tuple[str, ...]]
    """The phrases by their first letters, the longest first."""

    shortened: Mapping[str, tuple[str, ...]]
    """The long phrases by themselves and by what remains of them without one of their letters."""
    short: int = SHORT
    """The letters up to which a phrase must stand alone or before a colon, such as `to` or `an`."""

    def nearest(self, letters: str) -> str | None:
        """Return the phrase that a spelling differs from in one letter: one that is missing, added, or another one."""
        if len(letters) < MIN_MISSPELLED:
            return None
        shortened = self.shortened
        for start in (letters, *_without_a_letter(letters)):
            for phrase in shortened.get(start, ()):
                if _differ_in_one(phrase, letters):
                    return phrase
        return None


@lru_cache(maxsize=16_384)
def spelled(word: str) -> str:
    """Return a word as it is compared: without case and accents, letters that look the same being the same.

    A word that is mostly digits stays as it is.
    """
    bare = plain(word)
    digits = sum(map(str.isdigit, bare))
    return bare.replace(" ", "") if 2 * digits > len(bare) else confused(bare).replace(" ", "")


def _without_a_letter(letters: str) -> list[str]:
    return [letters[:place] + letters[place + 1 :] for place in range(len(letters))]


def _differ_in_one(one: str, other: str) -> bool:
    """Return whether two texts differ in one letter at most."""
    same = next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    rests = one[same:], other[same:]
    return rests[0][1:] == rests[1][1:] or rests[0][1:] == rests[1] or rests[0] == rests[1][1:]


def _shortened(phrases: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the long phrases by themselves and by what remains of them without one of their letters."""
    found: dict[str, list[str]] = {}
    for phrase in phrases:
        if len(phrase) >= MIN_MISSPELLED:
            for start in {phrase, *_without_a_letter(phrase)}:
                found.setdefault(start, []).append(phrase)
    return {start: tuple(each) for start, each in found.items()}


@cache
def field_labels() -> Vocabulary:
    return _vocabulary(lambda role: role not in TITLES and not role.startswith("column_"))


@cache
def titles() -> Vocabulary:
    return _vocabulary(TITLES.__contains__)


@cache
def column_heads() -> Vocabulary:
    return _vocabulary(lambda role: role.startswith("column_"))


def _vocabulary(wanted: Callable[[str], bool]) -> Vocabulary:
    entries = [
        (language, role, phrase)
        for language, text in LANGUAGES.items()
        for role, phrase in _entries(text)
        if wanted(role)
    ]
    return vocabulary_of(entries)


def vocabulary_of(entries: Iterable[tuple[str, str, str]], short: int = SHORT) -> Vocabulary:
    """Return the vocabulary of phrases, each given with its language and its role before it."""
    roles: dict[str, dict[str, set[str]]] = {}
    for language, role, phrase in entries:
        words = "".join(spelled(word) for word in _WORD.findall(phrase))
        roles.setdefault(words, {}).setdefault(language, set()).add(role)
    roles.pop("", None)
    starts: dict[str, list[str]] = {}
    for phrase in sorted(roles, key=len, reverse=True):
        starts.setdefault(phrase[:KEY], []).append(phrase)
    frozen = {
        phrase: {language: frozenset(each) for language, each in found.items()} for phrase, found in roles.items()
    }
    by_start = {start: tuple(phrases) for start, phrases in starts.items()}
    return Vocabulary(frozen, by_start, _shortened(frozen), short)


def _entries(text: str) -> Iterable[tuple[str, str]]:
    for line in text.strip().splitlines():
        role, _, phrases = line.partition(": ")
        for phrase in phrases.split(" | "):
            yield role, phrase.strip().replace("#", " ")
            if role in INVOICES and phrase.strip() not in UNNUMBERED:
                yield "invoice_number", phrase.strip()
