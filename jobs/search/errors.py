"""Why a search was not made; each says what to do instead."""

from tenants.core.errors import DomainError


class SearchTooBroad(DomainError):
    """The database was asked for more than it finds in time."""

    code = "search_too_broad"


class MeaningUnavailable(Exception):
    """What somebody looks for cannot be compared with pages, now or here at all. Of the dashboard: no API says it."""
