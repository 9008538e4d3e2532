"""The text that a person typed into the search box, as a query to the index. No text is an error."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from jobs.search.words import Word, tenant_tag, words_of

MAX_CHARACTERS = 1_000
MAX_TERMS = 20
"""The most terms of a search. Text beyond these limits is ignored."""
SHORTEST_BEGINNING = 2
"""The shortest searched beginning of a word, except for one character of a script without spaces."""

_CHUNK = re.compile(r'(?P<minus>-?)(?:"(?P<quoted>[^"]*)(?P<closed>"?)|(?P<bare>[^\s"]+))')


@dataclass(frozen=True, slots=True)
class Term:
    """Words that follow each other: a quoted phrase, or one chunk like `2024-03`."""

    lexemes: tuple[str, ...]
    begins: bool
    """The last lexeme may go on, because the person is still typing it."""
    wanted: bool

    def question(self, tag: str) -> str:
        *whole, last = (f"'{tag}{lexeme}'" for lexeme in self.lexemes)
        return f"({' <-> '.join([*whole, last + ':*' * self.begins])})"


@dataclass(frozen=True, slots=True)
class Query:
    terms: tuple[Term, ...]

    @property
    def wanted(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.wanted)

    def wanted_by(self, tenant_id: UUID) -> str | None:
        """Return a literal to be cast to tsquery, or None if no term is wanted."""
        return _joined(self.wanted, " & ", tenant_id)

    def unwanted_by(self, tenant_id: UUID) -> str | None:
        return _joined([term for term in self.terms if not term.wanted], " | ", tenant_id)


def _joined(terms: Sequence[Term], operator: str, tenant_id: UUID) -> str | None:
    tag = tenant_tag(tenant_id)
    return operator.join(term.question(tag) for term in terms) or None


def parsed(typed: str) -> Query:
    """Parse a search: words on one page, "quoted words" in that order, and -word nowhere in the job."""
    typed = typed[:MAX_CHARACTERS]
    chunks = list(_CHUNK.finditer(typed))
    terms = [_term(chunk, typing=chunk.end() == len(typed)) for chunk in chunks]
    return Query(tuple(dict.fromkeys(term for term in terms if term.lexemes))[:MAX_TERMS])


def _term(chunk: re.Match[str], *, typing: bool) -> Term:
    words = list(words_of(chunk["quoted"] if chunk["bare"] is None else chunk["bare"]))
    typing = typing and not chunk["closed"] and not chunk["minus"]
    begins = bool(words) and (_stands_alone(words) or (typing and len(words[-1].lexeme) >= SHORTEST_BEGINNING))
    if len(words) > 1 and words[-1].single and not _stands_alone(words):
        words.pop()
    return Term(tuple(word.lexeme for word in words), begins, wanted=not chunk["minus"])


def _stands_alone(words: Sequence[Word]) -> bool:
    """Return whether the last word is a single character of a script without spaces. In the index, it is the beginning
    of a pair or the end of a word.
    """
    last = words[-1]
    return last.single and (len(words) == 1 or words[-2].end <= last.start)
