"""The status of an invoice in one word for people. Pure."""

from datetime import date
from typing import Final, Literal

Standing = Literal["open", "overdue", "paid", "written_off", "credit_note"]
STANDINGS: Final[tuple[Standing, ...]] = ("open", "overdue", "paid", "written_off", "credit_note")
WORDS: Final[dict[Standing, str]] = {
    "open": "open",
    "overdue": "overdue",
    "paid": "paid",
    "written_off": "written off",
    "credit_note": "credit note",
}


def standing_of(*, kind: str, status: str, due_on: date, today: date) -> Standing:
    """Return the status. The invoice is not yet late on the due date itself."""
    if kind == "credit_note":
        return "credit_note"
    if status == "paid":
        return "paid"
    if status == "written_off":
        return "written_off"
    return "overdue" if due_on < today else "open"
