"""Several invoices in one file: where another one begins, so that the fields of two are never mixed."""

from collections.abc import Mapping, Sequence

from inference.core.contracts import Json
from inference.fields.identity import squeezed_text

SEVERAL = "several_documents"
SURE_NUMBER, SURE_DATE = 0.8, 0.6
"""The scores of the number and the date that the first page of an invoice has, at least."""

Pages = Sequence[tuple[int, Json]]
"""The pages that could be read, with their numbers."""


def first_document(pages: Pages) -> tuple[Pages, list[Json]]:
    """Return the pages up to where another invoice begins, and a warning if one does."""
    starts = list(_starts(pages))
    if not starts:
        return pages, []
    others = ", ".join(f"{number} on page {page}" for page, number in starts)
    message = (
        f"The file has several invoices. The fields are those of the first one; not read: {others}."
        " Upload each as a file of its own."
    )
    warning = {"code": SEVERAL, "message": message, "pages": [page for page, _ in starts]}
    return [each for each in pages if each[0] < starts[0][0]], [warning]


def _starts(pages: Pages) -> Sequence[tuple[int, str]]:
    """Return the pages where another invoice begins, with its number: one with a title, a date and another number."""
    starts: list[tuple[int, str]] = []
    now: str | None = None
    for page, found in pages:
        number = _number(found)
        if number is None or squeezed_text(number) == now:
            continue
        if now is not None and _begins(found["evidence"]):
            starts.append((page, number))
        elif now is not None:
            continue
        now = squeezed_text(number)
    return starts


def _number(found: Json) -> str | None:
    """Return the invoice number that a page surely has."""
    named = [each for each in found["candidates"] if each["name"] == "invoice_number" and each["score"] >= SURE_NUMBER]
    best = max(named, key=lambda each: each["score"], default=None)
    return None if best is None else str(best["value"])


def _begins(evidence: Mapping[str, Json]) -> bool:
    dated = evidence["names"].get("issue_date", 0.0) >= SURE_DATE
    return dated and bool(evidence["title"] or evidence["titled_number"])
