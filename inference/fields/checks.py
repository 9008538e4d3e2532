"""The checks of a document's fields against each other. What contradicts is reported, not smoothed over."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal

from inference.core.contracts import Json
from inference.fields.sums import TOLERANCE

CONTRADICT = "fields_contradict"
SUMS = ("net", "tax", "total")


def check_sums(sums: Mapping[str, Decimal]) -> Iterable[Json]:
    """Yield a warning if net and tax do not make the total."""
    if all(name in sums for name in SUMS) and abs(sums["net"] + sums["tax"] - sums["total"]) > TOLERANCE:
        yield warning(
            f"Net {sums['net']} and tax {sums['tax']} make {sums['net'] + sums['tax']},"
            f" but the total is {sums['total']}.",
            SUMS,
        )


def check_rates(sums: Mapping[str, Decimal], rates: Sequence[Json]) -> Iterable[Json]:
    """Yield a warning if the taxes of several rates do not make the tax."""
    tax = sum((Decimal(rate["tax"]) for rate in rates), Decimal(0))
    if len(rates) > 1 and "tax" in sums and abs(tax - sums["tax"]) > TOLERANCE:
        yield warning(f"The taxes by rate make {tax}, but the tax is {sums['tax']}.", ("tax",))


def check_items(sums: Mapping[str, Decimal], items: Sequence[Json], bases: Collection[Decimal]) -> Iterable[Json]:
    """Yield a warning if the line items make none of the `bases`, which are amounts that they may make."""
    added = sum((Decimal(item["amount"]) for item in items), Decimal(0))
    named = next((name for name in ("net", "total") if name in sums), None)
    if items and named and all(abs(added - base) > TOLERANCE for base in bases):
        words = {"net": "net amount", "total": "total"}[named]
        yield warning(
            f"The lines make {added}, but the {words} is {sums[named]}. A discount or other costs may be missing.",
            ("net", "total"),
        )


def check_dates(days: Mapping[str, str]) -> Iterable[Json]:
    """Yield a warning if the due date is before the issue date. `days` are ISO dates."""
    if len(days) == 2 and days["due_date"] < days["issue_date"]:
        yield warning(
            f"The due date {days['due_date']} is before the issue date {days['issue_date']}.",
            ("issue_date", "due_date"),
        )


def warning(message: str, names: Sequence[str]) -> Json:
    """Return a warning about the fields of these names."""
    return {"code": CONTRADICT, "message": message, "fields": list(names)}
