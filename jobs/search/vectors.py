"""What is kept of a text to find it by: its words with their places, as Postgres writes a tsvector."""

from collections import defaultdict
from itertools import islice
from uuid import UUID

from jobs.search.words import words_of

MOST_WORDS = 15_000
"""Of a page: some thirty dense sheets of paper. Postgres counts places up to 16,383, and finds no phrase beyond."""
MOST_BYTES = 900_000
"""Postgres refuses a vector of more than 1,048,575 bytes, and a page must never fail for what is written on it."""
MOST_PLACES = 255
"""Of one word, as Postgres keeps them."""
FIRST_PLACE = 100
"""The name's words are put before the page's: no phrase reaches from one into the other."""


def tenant_tag(tenant_id: UUID) -> str:
    """Stands before every lexeme, so that the index keeps tenants apart and a search reads its own tenant's part.

    Two tenants of one tag cost each other time, not secrecy: the wall is the column.
    """
    return tenant_id.hex[-8:]


def vector_of(tenant_id: UUID, text: str) -> str:
    """A literal to be cast to tsvector; empty when there is no word in it."""
    tag, places, size = tenant_tag(tenant_id), defaultdict[str, list[int]](list), 0
    for place, word in enumerate(islice(words_of(text), MOST_WORDS), FIRST_PLACE):
        known = places[word.lexeme]
        if len(known) == MOST_PLACES:
            continue
        size += 2 if known else len(tag) + len(word.lexeme.encode()) + 6
        if size > MOST_BYTES:
            break
        known.append(place)
    return " ".join(f"'{tag}{lexeme}':{','.join(map(str, at))}" for lexeme, at in places.items() if at)
