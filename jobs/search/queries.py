"""The text that a person typed into the search box, as a query to the index. No text is an error."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from jobs.search.words import PAGE_WEIGHT, Word, tenant_tag, words_of

MAX_CHARACTERS = 1_000
MAX_TERMS = 20
"""The most terms of a search. The dashboard ignores text beyond these limits, and the API refuses it."""
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

    def question(self, tag: str, *, of_page: bool = False) -> str:
        """Return the term as part of a tsquery. With `of_page`, words of the document's name do not count."""
        *whole, last = (f"'{tag}{lexeme}'" for lexeme in self.lexemes)
        options = "*" * self.begins + PAGE_WEIGHT * of_page
        return f"({' <-> '.join([*whole, f'{last}:{options}' if options else last])})"


@dataclass(frozen=True, slots=True)
class Query:
    terms: tuple[Term, ...]
    left_out: int = 0
    """The number of terms beyond the limit."""

    @property
    def wanted(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.wanted)

    def wanted_by(self, tenant_id: UUID) -> str | None:
        """Return a literal to be cast to tsquery, or None if no term is wanted."""
        return _joined(self.wanted, " & ", tenant_id)

    def wanted_on_page_by(self, tenant_id: UUID) -> str | None:
        """Return a literal for the pages that have at least one of the wanted terms in their own text, not only in the
        name of their document. The row of a name counts as a page.
        """
        tag, wanted = tenant_tag(tenant_id), self.wanted_by(tenant_id)
        own = " | ".join(term.question(tag, of_page=True) for term in self.wanted)
        return f"({wanted}) & ({own})" if wanted else None

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
    distinct = tuple(dict.fromkeys(term for term in terms if term.lexemes))
    return Query(distinct[:MAX_TERMS], left_out=max(0, len(distinct) - MAX_TERMS))


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
