"""The words of a text with their positions, by which the text is found, in the form of a Postgres tsvector."""

from collections import defaultdict
from itertools import islice
from uuid import UUID

from jobs.search.words import words_of

MAX_WORDS = 15_000
"""The most words of a page, some thirty dense sheets. Postgres finds no phrase beyond position 16,383."""
MAX_BYTES = 900_000
"""The most bytes of a vector. Postgres takes at most 1,048,575, and no page may fail for its text."""
MAX_PLACES = 255
"""The most positions of one word that Postgres stores."""
FIRST_PLACE = 100
"""The first position of a page's words. The name's come before, and no phrase reaches from it into the page."""


def tenant_tag(tenant_id: UUID) -> str:
    """Return the tag before every lexeme. It keeps tenants apart in the index, so that a search reads its own tenant's
    part.

    Two tenants with the same tag cost each other time, but not secrecy: the tenant column separates them.
    """
    return tenant_id.hex[-8:]


def vector_of(tenant_id: UUID, text: str) -> str:
    """Return a literal to be cast to tsvector. It is empty if the text has no word."""
    tag, places, size = tenant_tag(tenant_id), defaultdict[str, list[int]](list), 0
    for place, word in enumerate(islice(words_of(text), MAX_WORDS), FIRST_PLACE):
        known = places[word.lexeme]
        if len(known) == MAX_PLACES:
            continue
        size += 2 if known else len(tag) + len(word.lexeme.encode()) + 6
        if size > MAX_BYTES:
            break
        known.append(place)
    return " ".join(f"'{tag}{lexeme}':{','.join(map(str, at))}" for lexeme, at in places.items() if at)
