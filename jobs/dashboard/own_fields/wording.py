"""The types and places of own fields in words for people."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

TYPES: Mapping[str, Any] = {
    "text": _("Text"),
    "number": _("Number"),
    "amount": _("Amount of money"),
    "date": _("Date"),
    "identifier": _("Code, such as AB-1234"),
    "iban": _("IBAN"),
    "vat_number": _("VAT number"),
    "email": _("Email address"),
    "phone": _("Phone number"),
    "yes_no": _("Yes or no"),
}
PLACES: Mapping[str, Any] = {
    "label": _("Right of the label or below it"),
    "right": _("Right of the label"),
    "below": _("Below the label"),
    "column": _("In the rows of a table, below the label"),
    "position": _("At the same place of the page"),
}
