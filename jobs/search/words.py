"""The words of a text, the same for the index, a search and an excerpt, and their Postgres tsvector."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

LONGEST_WORD = 60
"""The number of characters of a word that count. A longer text is rarely a word, and a Postgres lexeme ends at 2 KB."""

# Combining marks belong to their word, such as vowel signs of Indic scripts and accents that are written separately.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0903\u093a-\u094f\u0962\u0963\u0980-\u0983\u09bc-\u09cd\u0a01-\u0a4d\u0a81-\u0acd\u0b01-\u0b4d"
    "\u0b82-\u0bcd\u0c00-\u0c4d\u0c81-\u0ccd\u0d00-\u0d4d"
)
# These are scripts whose words are not separated by spaces. Every two neighbors count as a word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_RUN = re.compile(rf"(?:[^\W_]|[{_MARKS}{_UNSPACED}])+")
_PIECE = re.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|(?P<number>\d+)|[^\d{_UNSPACED}]+")
_ACCENTS = re.compile("[\u0300-\u036f]")
_NOT_IN_A_LEXEME = re.compile(r"['\\\s]")


@dataclass(frozen=True, slots=True)
class Word:
    lexeme: str
    start: int
    end: int
    """The end of the word. Start and end are positions in the original text."""
    single: bool = False
    """The word is the last character of a stretch of an unspaced script. It has no right neighbor for a pair."""


def words_of(text: str) -> Iterator[Word]:
    """Yield the words one after the other, so that a caller that has seen enough reads no further."""
    for run in _RUN.finditer(text):
        whole = run[0]
        if whole.isascii() and (whole.isalpha() or whole.isdigit()):
            # Most words of most pages are one piece.
            yield Word(whole[:LONGEST_WORD].lower(), run.start(), run.end())
            continue
        for piece in _PIECE.finditer(whole):
            start = run.start() + piece.start()
            if piece["unspaced"]:
                yield from _pairs(piece[0], start)
            elif lexeme := folded(piece[0]):
                yield Word(lexeme, start, run.start() + piece.end())


def _pairs(characters: str, start: int) -> Iterator[Word]:
    """Yield the pairs of a stretch: `中文字` gives `中文`, `文字` and `字`, so that any part of it is found."""
    for offset in range(len(characters)):
        pair = characters[offset : offset + 2]
        if lexeme := folded(pair):
            yield Word(lexeme, start + offset, start + offset + len(pair), single=len(pair) == 1)


def folded(word: str) -> str:
    """Return a word without case, accents and typographic forms: `Ｒéﬁne` is `refine`, `Straße` is `strasse`."""
    if word.isascii():
        return word[:LONGEST_WORD].lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", word[:LONGEST_WORD]))
    whole = unicodedata.normalize("NFC", bare.casefold())
    return _NOT_IN_A_LEXEME.sub("", whole)[:LONGEST_WORD]


MAX_WORDS = 15_000
"""The most words of a page, some thirty dense sheets. Postgres finds no phrase beyond position 16,383."""
MAX_BYTES = 900_000
"""The most bytes of a vector. Postgres takes at most 1,048,575, and no page may fail for its text."""
PAGE_WEIGHT = "D"
"""The weight of a page's own words, which is Postgres's default. The words of its document's name have another."""
MAX_PLACES = 255
"""The most positions of one word that Postgres stores."""
FIRST_PLACE = 100
"""The first position of a page's words. The name's come before, and no phrase reaches from it into the page."""


def tenant_tag(tenant_id: UUID) -> str:
    """Return the tag before every lexeme. It only speeds up searches: the tenant column keeps tenants apart."""
    return tenant_id.hex[-8:]


def vector_of(tenant_id: UUID, text: str) -> str:
    """Return a literal to be cast to tsvector. It is empty if the text has no word."""
    tag, places, size = tenant_tag(tenant_id), defaultdict[str, list[int]](list), 0
    for position, word in enumerate(islice(words_of(text), MAX_WORDS), FIRST_PLACE):
        positions = places[word.lexeme]
        if len(positions) == MAX_PLACES:
            continue
        size += 2 if positions else len(tag) + len(word.lexeme.encode()) + 6
        if size > MAX_BYTES:
            break
        positions.append(position)
    return " ".join(f"'{tag}{lexeme}':{','.join(map(str, at))}" for lexeme, at in places.items() if at)
