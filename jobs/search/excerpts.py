"""A job that was found, and the text around the match in parts that say which words were searched for."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from jobs.search.queries import Query, Term
from jobs.search.words import MAX_WORDS, Word, words_of

BEFORE, LENGTH = 50, 180
"""The number of characters shown before the first match, and in all."""


@dataclass(frozen=True, slots=True)
class Part:
    text: str
    marked: bool


def excerpt_of(text: str, query: Query, max_words: int = MAX_WORDS) -> tuple[Part, ...]:
    """Return the text around the first match, else its beginning, with single blanks for white space.

    A match is looked for in the first words of the text.
    """
    first = next(_matches(islice(words_of(text), max_words), query.wanted), None)
    start = _word_start(text, max(0, first.start - BEFORE)) if first else 0
    shown = text[start : start + LENGTH]
    marks = _merged(_matches(words_of(shown), query.wanted))
    parts = _parts(shown, marks)
    if start > 0:
        parts.insert(0, Part("… ", False))
    if start + LENGTH < len(text):
        parts.append(Part(" …", False))
    return tuple(parts)


def marks_in(text: str, query: Query, max_words: int = MAX_WORDS) -> list[tuple[int, int]]:
    """Return the start and end of each match in a text, in order and without overlaps."""
    return _merged(_matches(islice(words_of(text), max_words), query.wanted))


def lines_with_matches(lines: Sequence[str], query: Query, max_words: int = MAX_WORDS) -> list[int]:
    """Return the positions of the lines that have a match. A phrase may begin on one line and end on the next."""
    marks = deque(marks_in("\n".join(lines), query, max_words))
    found, begin = [], 0
    for index, line in enumerate(lines):
        end = begin + len(line)
        while marks and marks[0][1] <= begin:
            marks.popleft()
        if marks and marks[0][0] < end:
            found.append(index)
        begin = end + 1
    return found


def _matches(words: Iterable[Word], terms: Sequence[Term]) -> Iterator[Word]:
    ends = {term.lexemes[-1] for term in terms}
    beginnings = tuple(term.lexemes[-1] for term in terms if term.begins)
    latest: deque[Word] = deque(maxlen=max((len(term.lexemes) for term in terms), default=1))
    for word in words:
        latest.append(word)
        if word.lexeme in ends or word.lexeme.startswith(beginnings):
            lexemes = [each.lexeme for each in latest]
            longest = max((len(term.lexemes) for term in terms if _ends(lexemes, term)), default=0)
            yield from list(latest)[len(latest) - longest :]


def _ends(lexemes: Sequence[str], term: Term) -> bool:
    *whole, last = term.lexemes
    *before, found = lexemes[-len(term.lexemes) :]
    return before == whole and (found.startswith(last) if term.begins else found == last)


def _word_start(text: str, at: int) -> int:
    """Return the next beginning of a word if there is one nearby, else `at`."""
    blank = text.find(" ", at, at + 20) if at else -1
    return blank + 1 if blank >= 0 else at


def _merged(words: Iterable[Word]) -> list[tuple[int, int]]:
    """Merge overlapping highlighted ranges into one, such as the character pairs of a script without spaces."""
    spans: list[tuple[int, int]] = []
    for word in words:
        if spans and word.start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], word.end))
        else:
            spans.append((word.start, word.end))
    return spans


def _parts(text: str, marks: list[tuple[int, int]]) -> list[Part]:
    parts, done = [], 0
    for start, end in marks:
        parts += [Part(_blank(text[done:start]), False), Part(_blank(text[start:end]), True)]
        done = end
    parts.append(Part(_blank(text[done:]), False))
    return [part for part in parts if part.text]


def _blank(text: str) -> str:
    """Replace text line ends by blanks. Blanks at both ends stay, because parts are put side by side."""
    inner = " ".join(text.split())
    if not inner:
        return " " * bool(text)
    return " " * text[0].isspace() + inner + " " * text[-1].isspace()


MAX_HITS = 1_000


@dataclass(frozen=True, slots=True)
class Hit:
    job_id: UUID
    page_number: int | None
    """The first page that has everything that was searched for. It is None if the document's name has it."""
    excerpt: tuple[Part, ...] = ()
    """The excerpt. `excerpts` fills it for the hits that are shown, which are few of many."""
