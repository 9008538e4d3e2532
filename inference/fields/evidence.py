"""The decision whether pages are an invoice or receipt, by their class and by what is on them."""

from collections.abc import Mapping, Sequence

from inference.core.contracts import Json

INVOICE = "invoice"
INVOICES = frozenset({INVOICE, "receipt"})
"""The classes of which a person says that the document has the fields of an invoice."""
SURE_CLASS, POSSIBLE_CLASS = 0.5, 0.25
POINTS_OF_INVOICE, POINTS_OF_UNKNOWN, POINTS_OF_OTHERS = 2.5, 4.5, 6.0
"""The points that a page must have if its class is an invoice, if its class is unsure, and if it is another class."""
PROSE_CLASSES = ("letter", "contract", "report")


def is_invoice(pages: Sequence[Json], corrected_class: str | None = None) -> bool:
    """Return whether one of the pages is that of an invoice or receipt. The others need no evidence.

    A person who gives a class to the document decides it for invoices, and for others how much evidence a page needs.
    """
    if corrected_class in INVOICES:
        return True
    certain = None if corrected_class is None else {corrected_class: 1.0}
    return any(_points(page["evidence"]) >= _needed(certain or page["class"]) for page in pages)


def _points(evidence: Mapping[str, Json]) -> float:
    names: Mapping[str, float] = evidence["names"]
    sums = sum(names.get(name, 0.0) >= 0.6 for name in ("net", "tax", "total"))
    return (
        1.5 * bool(evidence["title"])
        + 1.0 * bool(evidence["titled_number"] and not evidence["title"])
        + 1.0 * (names.get("invoice_number", 0.0) >= 0.6)
        + 0.5 * (names.get("due_date", 0.0) >= 0.7)
        + 0.5 * (names.get("issue_date", 0.0) >= 0.7)
        + 1.0 * min(sums, 1)
        + 0.75 * max(0, sums - 1)
        + 1.0 * bool(evidence["items"])
        + 0.25 * ("iban" in names)
        + 0.75 * (names.get("paid", 0.0) >= 0.6)
        - 2.0 * bool(evidence["other_title"] and not evidence["title"])
        - 2.5 * bool(evidence.get("other_heading") and not evidence["title"])
    )


def _needed(probabilities: Mapping[str, float] | None) -> float:
    if probabilities is None:
        return POINTS_OF_UNKNOWN
    if probabilities.get(INVOICE, 0.0) >= SURE_CLASS:
        return POINTS_OF_INVOICE
    prose = max(probabilities.get(name, 0.0) for name in PROSE_CLASSES)
    if prose >= SURE_CLASS and probabilities.get(INVOICE, 0.0) < POSSIBLE_CLASS:
        return POINTS_OF_OTHERS
    return POINTS_OF_UNKNOWN
