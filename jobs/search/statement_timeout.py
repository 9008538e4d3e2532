"""Limits what one search may cost the database, and how long a thread waits for it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connections
from psycopg.errors import QueryCanceled

from tenants.core.db.unit_of_work import APP
from tenants.core.errors import DomainError


class SearchTooBroad(DomainError):
    """The search needs more than the database finds in time."""

    code = "search_too_broad"


class MeaningUnavailable(DomainError):
    """This installation cannot search by meaning."""

    code = "meaning_unavailable"


class MeaningPaused(DomainError):
    """The text of a search cannot be compared with pages at the moment."""

    code = "meaning_paused"
    gate = "search_by_meaning"


SEARCH_MS = 3_000

_BEGIN = "SELECT current_setting('statement_timeout'), set_config('statement_timeout', %s, true)"
_END = "SELECT set_config('statement_timeout', %s, true)"


@contextmanager
def searching(refusal: str) -> Iterator[None]:
    """Limit the time of a statement. After SearchTooBroad, the unit of work cannot go on."""
    with connections[APP].cursor() as cursor:
        cursor.execute(_BEGIN, [f"{SEARCH_MS}ms"])
        before, _ = cursor.fetchone()
        try:
            yield
        except OperationalError as error:
            if isinstance(error.__cause__, QueryCanceled):
                raise SearchTooBroad(refusal) from error
            raise
        cursor.execute(_END, [before])
