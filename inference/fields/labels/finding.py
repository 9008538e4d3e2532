"""The labels in the pieces of a page, and the language that they are in."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inference.fields.labels.vocabulary import KEY, LANGUAGES, Roles, Vocabulary, field_labels, spelled
from inference.fields.page_text import Piece

SURE_LETTERS = 6
"""The letters from which a label may be joined with what follows, as recognition loses spaces."""
MAX_PREFIX, MAX_SERIES = 4, 2
"""The letters before a number, at most: those of a name, and those that a bar joins with it, such as `A/2026`."""
FOREIGN_LETTERS = 4
"""The letters of a label in another language than the page's, at least."""
_WORD = re.compile(r"[^\W_]+")
_COLON = re.compile(r"[\s.°º]*(?:\([^()]{1,12}\)\s*)?[:：]")
_AFTER = re.compile(r"[\s.:：#°º№*)\]–—-]*")
_BEFORE = re.compile(r"[\s\W\d]*$")


@dataclass(frozen=True, slots=True)
class Spelling:
    """A text as labels are sought in it: without spaces, with the places of its words in the text."""

    letters: str
    starts: dict[int, int]
    """The place in the text of each letter that begins a word."""
    ends: dict[int, int]
    """The place in the text behind each letter that ends a word, or may end one."""


@dataclass(frozen=True, slots=True)
class Label:
    piece: Piece
    start: int
    end: int
    """The position in the piece where it ends, without what parts it from its value."""
    value_start: int
    roles: Roles
    letters: int
    has_colon: bool
    at_start: bool
    """It is set if only signs and numbers stand before it in the piece."""

    @property
    def is_alone(self) -> bool:
        return self.at_start and self.value_start >= len(self.piece.text)

    def roles_in(self, language: str | None) -> frozenset[str]:
        """Return its roles in a language, or in all that know it if this language does not."""
        if language is not None and language in self.roles:
            return self.roles[language]
        if self.letters < FOREIGN_LETTERS:
            return frozenset()
        return frozenset(role for roles in self.roles.values() for role in roles)


def spell(text: str) -> Spelling:
    letters, starts, ends = "", {}, {}
    for match in _WORD.finditer(text):
        word = match.group()
        bare = spelled(word)
        if not bare:
            continue
        starts[len(letters)] = match.start()
        if len(bare) == len(word) and not _is_plain(word):
            for place in range(1, len(word)):
                if (word[place - 1].islower() and not word[place].islower()) or (
                    word[place - 1].isalpha() and word[place].isdigit()
                ):
                    ends[len(letters) + place] = match.start() + place
        letters += bare
        if len(word) > MAX_SERIES or not _JOINED_NUMBER.match(text, match.end()):
            ends[len(letters)] = match.end()
    return Spelling(letters, starts, ends)


def _is_plain(word: str) -> bool:
    """Return whether a word is written as one: in letters of one case but for the first, or in digits."""
    return word.isdigit() or (word.isalpha() and (word.islower() or word.isupper() or word.istitle()))


def phrase_at(vocabulary: Vocabulary, spelling: Spelling, place: int) -> str | None:
    """Return the longest phrase that begins at a letter and ends with a word."""
    letters = spelling.letters
    for phrase in vocabulary.by_start.get(letters[place : place + KEY], ()) or vocabulary.by_start.get(
        letters[place : place + 1], ()
    ):
        if letters.startswith(phrase, place) and place + len(phrase) in spelling.ends:
            return phrase
    return None


def find_labels(pieces: Iterable[Piece], vocabulary: Vocabulary | None = None) -> dict[int, list[Label]]:
    """Return the labels of each piece that has any, by the number of the piece, from left to right.

    They are those of a vocabulary, or the labels of invoices.
    """
    vocabulary = vocabulary or field_labels()
    found: dict[int, list[Label]] = {}
    for number, piece in enumerate(pieces):
        labels = _labels(piece, vocabulary)
        if labels:
            found[number] = labels
    return found


def _labels(piece: Piece, vocabulary: Vocabulary) -> list[Label]:
    spelling = spell(piece.text)
    labels: list[Label] = []
    reach = 0
    misspelled = _misspelled(piece, spelling, vocabulary)
    if misspelled is not None:
        labels.append(misspelled)
        reach = next((place for place in sorted(spelling.starts) if spelling.starts[place] >= misspelled.end), 10**6)
    for place, start in spelling.starts.items():
        if place < reach:
            continue
        phrase = _usable(piece.text, spelling, place, start, vocabulary)
        if phrase is None or (labels and _is_prefix(piece.text, labels[-1], start, spelling.ends[place + len(phrase)])):
            continue
        end = spelling.ends[place + len(phrase)]
        labels.append(label_at(piece, start, end, vocabulary.roles[phrase], len(phrase)))
        reach = place + len(phrase)
    return labels


def _is_prefix(text: str, label: Label, start: int, end: int) -> bool:
    """Return whether a phrase is but the letters at the start of a number, such as in `Invoice # INV 1203`."""
    short = text[start:end].isupper() and end - start <= MAX_PREFIX
    return start == label.value_start and short and bool(_NUMBER_FOLLOWS.match(text, end))


_JOINED_NUMBER = re.compile(r"[-/]\d")
_NUMBER_FOLLOWS = re.compile(r"[-/ ]?\d")


def _misspelled(piece: Piece, spelling: Spelling, vocabulary: Vocabulary) -> Label | None:
    """Return the label that a piece begins with but for one letter, up to a colon or a number, or None."""
    head = _HEAD.match(piece.text)
    if head is None:
        return None
    written = head.group()
    if piece.text[head.end() : head.end() + 1].isdigit():
        written = written[: len(written) - len(written.split(" ")[-1])]  # The number begins with letters.
    letters = spell(written).letters
    exact = phrase_at(vocabulary, spelling, 0)
    if exact is not None and len(exact) >= len(letters) - 1:
        return None
    phrase = vocabulary.nearest(letters)
    end = len(written.rstrip(" .-–("))
    return label_at(piece, 0, end, vocabulary.roles[phrase], len(phrase)) if phrase else None


_HEAD = re.compile(r"[^\W\d_][^\d:€$£…%]{5,45}")


def _usable(text: str, spelling: Spelling, place: int, start: int, vocabulary: Vocabulary) -> str | None:
    phrase = phrase_at(vocabulary, spelling, place)
    if phrase is None or len(phrase) > vocabulary.short:
        return phrase
    end = spelling.ends[place + len(phrase)]
    before, after = text[:start], text[end:]
    if text[start:end].isupper() and _JOINED_NUMBER.match(after):
        return None
    after = _OTHER_LANGUAGE.sub("", after)
    opens_text = not any(map(str.isalpha, before)) or _RATED.search(before) is not None
    alone = opens_text and not after.strip(" .:°º-*#)")
    opens = (opens_text and bool(_TYPED_VALUE.match(after))) or bool(_RATE_FOLLOWS.match(after))
    dated = bool(_DATED.match(after)) and any(role.endswith("_date") for role in _all_roles(vocabulary, phrase))
    return phrase if alone or _COLON.match(after) or opens or dated else None


def _all_roles(vocabulary: Vocabulary, phrase: str) -> set[str]:
    return {role for roles in vocabulary.roles[phrase].values() for role in roles}


_DATED = re.compile(r"\s+(?:\d{1,2}(?:\.|er|º)?[./ -]\s?\w|\d{4}-\d\d-\d\d)")
_TYPED_VALUE = re.compile(
    r"[\s.°º#@]*[\d€$£(-]|\s+[A-Z]{0,4}[-/]?\d|\s+(?:EUR|USD|GBP|CHF)\b|\s+[^\W\d_]{1,3}\s+\d+(?:[.,]\d+)?\s?%"
)
_OTHER_LANGUAGE = re.compile(r"^\s*/\s*[^\W\d_]+\.?(?=\s|:|$)")
"""The same label in another language, such as in `BTW / TVA 21 %`."""
_RATE_FOLLOWS = re.compile(r"\s+\d{1,2}(?:[.,]\d{1,2})?\s?%")
_RATED = re.compile(r"\d\s?%\s*\(?$")
_AMOUNT_FOLLOWS = re.compile(r"[\d€$£]|(?:EUR|USD|GBP|CHF)\b")


def label_at(piece: Piece, start: int, end: int, roles: Roles, letters: int) -> Label:
    """Return the label that stands in a part of a piece."""
    colon = _COLON.match(piece.text, end)
    after = _AFTER.match(piece.text, colon.end() if colon else end)
    value_start = after.end() if after else end
    if piece.text[value_start - 1] in "-–—" and _AMOUNT_FOLLOWS.match(piece.text, value_start):
        value_start -= 1  # It is the sign of an amount.
    at_start = bool(_BEFORE.fullmatch(piece.text[:start]))
    return Label(piece, start, end, value_start, roles, letters, colon is not None, at_start)


def language_of(labels: Iterable[Sequence[Label]]) -> str | None:
    """Return the language of most labels, where a long label that only one language knows counts most."""
    votes: Counter[str] = Counter(dict.fromkeys(LANGUAGES, 0))
    for each in labels:
        for label in each:
            for language in label.roles:
                votes[language] += round(100 * label.letters / len(label.roles) ** 2)
    best, count = votes.most_common(1)[0]
    return best if count else None
