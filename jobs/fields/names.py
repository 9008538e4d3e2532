"""The fields that a document may have: those that are built in, and those that the tenant defined."""

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy

TITLES: Mapping[str, Any] = {
    "invoice_number": gettext_lazy("Invoice number"),
    "issue_date": gettext_lazy("Date"),
    "due_date": gettext_lazy("Due date"),
    "supplier": gettext_lazy("Supplier"),
    "buyer": gettext_lazy("Buyer"),
    "order_number": gettext_lazy("Order number"),
    "currency": gettext_lazy("Currency"),
    "net": gettext_lazy("Net"),
    "tax": gettext_lazy("Tax"),
    "total": gettext_lazy("Total"),
    "iban": gettext_lazy("IBAN"),
}
LONGEST_NAME = 60
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")


def is_name(name: str) -> bool:
    """Return whether a text may be the name of a field."""
    return len(name) <= LONGEST_NAME and _NAME.fullmatch(name) is not None


def title_of(name: str) -> str:
    """Return the name for people. That of a tenant's own field is made from its name for programs."""
    if name in TITLES:
        return str(TITLES[name])
    text = name.replace("_", " ").replace("-", " ")
    return text[:1].upper() + text[1:]
