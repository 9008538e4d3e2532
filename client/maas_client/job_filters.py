"""The filters of lists of jobs."""

from collections.abc import Mapping
from typing import TypedDict


class JobFilters(TypedDict, total=False):
    """The options of a list of jobs. Each restricts it further."""

    state: str | None
    """One state, or several separated by commas."""
    model: str | None
    document: str | None
    document_class: str | None
    needs_review: bool | None
    words: str | None
    """Words in the name or on a page."""
    fields: Mapping[str, str]
    """Filters by fields: `{"total.min": "100", "supplier.contains": "acme"}`."""


def job_query(filters: JobFilters) -> dict[str, str]:
    """Return the query parameters of the filters that are set."""
    review = filters.get("needs_review")
    query = {
        "state": filters.get("state"),
        "model": filters.get("model"),
        "document": filters.get("document"),
        "class": filters.get("document_class"),
        "needs_review": None if review is None else str(review).lower(),
        "q": filters.get("words"),
    }
    fields = {f"field.{name}": value for name, value in filters.get("fields", {}).items()}
    return {name: value for name, value in query.items() if value is not None} | fields
