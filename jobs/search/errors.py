"""Errors for a search that was not made. Each says what to do instead."""

from tenants.core.errors import DomainError


class SearchTooBroad(DomainError):
    """The search needs more than the database finds in time."""

    code = "search_too_broad"


class MeaningUnavailable(Exception):
    """The text of a search cannot be compared with pages now or here. The dashboard alone shows this error."""
