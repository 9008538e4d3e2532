"""The normalized form of a value by the type of its field: what a person typed is understood like what was read."""

from collections.abc import Callable, Mapping

from inference.fields.amounts import normalized_amount
from inference.fields.currencies import CURRENCY, normalized_currency
from inference.fields.dates import Order, find_dates, normalized_date
from inference.fields.identifiers import normalized_iban, normalized_vat

EXAMPLES: Mapping[str, str] = {
    "date": "a date, such as 2026-01-31",
    "amount": "an amount, such as 1234.50",
    "currency": "a currency, such as EUR",
    "number": "a number, such as 12.5",
    "yes_no": "yes or no",
}
"""What a value of a type must contain, for a message. Values of other types may be anything."""


def normalized_value(kind: str, text: str, *, order: Order | None = None, decimal: str | None = None) -> str | None:
    """Return the normalized form of a value, or None if it has none or may mean several things.

    `order` is that of day and month in the document, `decimal` its decimal sign, if they are known.
    """
    if kind == "date":
        return normalized_date(text, order)
    if kind == "amount":
        return normalized_amount(text, decimal)
    normalize = _BY_TYPE.get(kind)
    return normalize(text) if normalize else " ".join(text.split())


def possible_dates(text: str) -> list[str]:
    """Return the ISO dates that the only date of a text may mean."""
    found = find_dates(text)
    return [option.isoformat() for option in found[0].options] if len(found) == 1 else []


def order_of(written: str, normalized: str) -> Order | None:
    """Return the order of day and month that a date was read in, or None if it says nothing about it."""
    options = possible_dates(written)
    if len(options) < 2 or normalized not in options:
        return None
    return "dmy" if normalized == options[0] else "mdy"


def _currency(text: str) -> str | None:
    found = CURRENCY.findall(text)
    return normalized_currency(found[0]) if len(found) == 1 else normalized_currency(text)


_BY_TYPE: Mapping[str, Callable[[str], str | None]] = {
    "currency": _currency,
    "iban": normalized_iban,
    "vat_number": normalized_vat,
}
