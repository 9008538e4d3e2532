"""The type that a value most likely has, by how it is written and by its label."""

import re

from inference.fields.amounts import find_amounts
from inference.own_fields.values import Style, Value, values_in

_NAMES_NUMBER = re.compile(
    r"\b(?:no|nr|num|number|nummer|numéro|numero|número|n[°º]|№|id|code|ref|reference|kennzeichen|matricola|#)\b"
    r"|nummer\b|nr\b|[#№°º]",
    re.IGNORECASE,
)
_NAMES_PHONE = re.compile(r"\b(?:tel|phone|fon|fax|mobil|handy|téléphone|telefon|teléfono|telefono|gsm)", re.IGNORECASE)
_UNIT = re.compile(
    r"\s*(?:%|‰|°C?)?\s*|\s+(?:[^\W\d_]{1,4}[²³23]?|%|‰|°C?|/|\.){1,4}\s*|(?:[kmcd]?m|[km]?g|[mcd]?l|k?Wh|kVA|kW|h|t|ha)[²³]?\s*"
)
_SURE = ("iban", "vat_number", "email", "date")
MAX_IDENTIFIER_WORDS = 4


def type_of(text: str, label: str) -> str:
    """Return one of the types for a value that was pointed at."""
    if "\n" in text:
        return "text"
    for kind in _SURE:
        if _is_whole(text, kind):
            return kind
    if _NAMES_PHONE.search(label) and _is_whole(text, "phone"):
        return "phone"
    if _is_whole(text, "yes_no") and len(text) > 1:
        return "yes_no"
    if any(map(str.isdigit, text)):
        return _with_digits(text, label)
    return "text"


def _with_digits(text: str, label: str) -> str:
    amounts = [each for each in find_amounts(text) if not text[: each.start].strip()]
    if amounts and not text[amounts[0].end :].strip() and (amounts[0].currency or amounts[0].has_cents):
        return "amount"
    named = bool(_NAMES_NUMBER.search(label))
    if text[:1] == "+" and _is_whole(text, "phone"):
        return "phone"
    digits = text.replace(" ", "")
    plain_digits = digits.isdigit() and (digits[0] == "0" or len(digits) > 5)
    if not named and not plain_digits and _is_number(text):
        return "number"
    words = text.split()
    with_digits = sum(any(map(str.isdigit, word)) for word in words)
    if len(words) <= MAX_IDENTIFIER_WORDS and 2 * with_digits >= len(words):
        return "identifier"
    return "text"


def _is_number(text: str) -> bool:
    return any(
        not text[: value.start].strip() and _UNIT.fullmatch(text[value.end :]) for value in _values(text, "number")
    )


def _is_whole(text: str, kind: str) -> bool:
    return any(not (text[: value.start] + text[value.end :]).strip(" .,;") for value in _values(text, kind))


def _values(text: str, kind: str) -> list[Value]:
    return list(values_in(text, kind, Style()))
