"""Amounts of money and percentages: written with a decimal comma or point, grouped, signed, beside a currency."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from inference.fields.currencies import PATTERN, normalized_currency

MAX_DIGITS = 12
_GAP = r"[ \u00a0\u2009\u202f]"
_GROUP = rf"[.,'’´`\u00b7]|{_GAP}"
_NUMBER = rf"\d{{1,3}}(?:(?:{_GROUP})\d{{3}})+(?:{_GAP}?[.,]{_GAP}?\d{{1,2}})?|\d{{1,9}}(?:[.,]{_GAP}?\d{{1,4}})?"
_MINUS = "[-−–—]"
_AMOUNT = re.compile(
    rf"(?<![\w.,/:\-])(?P<open>\()?(?P<sign>{_MINUS}{_GAP}?)?(?:(?P<before>{PATTERN}){_GAP}?)?"
    rf"(?P<sign2>{_MINUS}{_GAP}?)?(?P<number>{_NUMBER})(?P<dashes>[.,]{_MINUS}+)?(?P<trailing>{_MINUS}(?!\w))?"
    rf"(?:{_GAP}?(?P<after>{PATTERN})(?![^\W\d_]))?(?P<close>\))?(?![\w%‰]|[.,/:]\d|{_GAP}?[%‰])"
)
_PERCENT = re.compile(rf"(?<![\w.,])(\d{{1,3}}(?:[.,]\d{{1,3}})?){_GAP}?(?:%|‰|percent\b|Prozent\b|por ciento\b)")
_CENTS = re.compile(rf"[.,]{_GAP}?\d{{2}}$")
_SEPARATORS = re.compile(rf"(?:{_GROUP})+")


@dataclass(frozen=True, slots=True)
class Amount:
    start: int
    end: int
    text: str
    """The amount as it is written, with its sign and currency."""
    value: Decimal
    currency: str | None
    has_cents: bool
    """It is set if the amount is written with two decimals, as money is."""
    number_text: str
    """The number as it is written, without its sign and currency."""


def find_amounts(text: str, decimal: str | None = None) -> list[Amount]:
    """Return the amounts in a text. `decimal` is the decimal sign of the document, if it is known."""
    if not any(map(str.isdigit, text)):
        return []
    return list(_amounts(text, decimal))


def _amounts(text: str, decimal: str | None) -> Iterator[Amount]:
    for match in _AMOUNT.finditer(text):
        number = match["number"]
        value = parse_number(number, decimal)
        if value is None:
            continue
        start, end = match.span()
        if match["open"] and not match["close"]:
            start += 1
        if match["close"] and not match["open"]:
            end -= 1
        negative = match["sign"] or match["sign2"] or match["trailing"] or (match["open"] and match["close"])
        currency = normalized_currency(match["before"] or match["after"] or "")
        cents = bool(_CENTS.search(number)) or match["dashes"] is not None
        yield Amount(start, end, text[start:end], -value if negative else value, currency, cents, number)


def parse_number(number: str, decimal: str | None = None) -> Decimal | None:
    """Return a number as it is written in any of the usual ways, or None if it is none.

    The last point or comma is the decimal sign, unless exactly three digits follow it. Three digits are a group, or
    decimals where the document has this decimal sign.
    """
    compact = re.sub(rf"{_GAP}(?=[.,])|(?<=[.,]){_GAP}", "", number.strip())
    last = max(compact.rfind("."), compact.rfind(","))
    whole, fraction = compact, ""
    if last >= 0:
        after = compact[last + 1 :]
        repeated = compact.count(compact[last]) > 1
        is_group = len(after) == 3 and compact[:last] != "0" and (decimal != compact[last] or repeated)
        if after.isdigit() and not is_group and not repeated:
            whole, fraction = compact[:last], after
    digits = _SEPARATORS.sub("", whole)
    if not digits.isascii() or not digits.isdigit() or len(digits) > MAX_DIGITS:
        return None
    return Decimal(f"{digits}.{fraction}" if fraction else digits)


def normalized_amount(text: str, decimal: str | None = None) -> str | None:
    """Return the only amount of a text as a decimal string, or None if it has none or several."""
    found = find_amounts(text, decimal)
    return decimal_text(found[0].value) if len(found) == 1 else None


def decimal_text(value: Decimal) -> str:
    """Return a decimal string with two decimals, or more if there are more."""
    exponent = value.as_tuple().exponent
    places = max(2, -exponent if isinstance(exponent, int) else 2)
    return f"{value:.{places}f}"


def decimal_sign(texts: Iterable[str]) -> str | None:
    """Return the decimal sign of a document by its amounts with two decimals, or None if they disagree."""
    votes = {",": 0, ".": 0}
    for text in texts:
        for match in _AMOUNT.finditer(text):
            if cents := _CENTS.search(match["number"]):
                votes[cents.group()[0]] += 1
    best = max(votes, key=votes.__getitem__)
    return best if votes[best] > 2 * (sum(votes.values()) - votes[best]) else None


def find_percents(text: str) -> list[tuple[int, int, Decimal]]:
    """Return the start, the end and the number of each percentage in a text."""
    if "%" not in text and "ro" not in text and "er" not in text and "por" not in text:
        return []
    return [
        (*match.span(), Decimal(match[1].replace(",", ".")))
        for match in _PERCENT.finditer(text)
        if Decimal(match[1].replace(",", ".")) <= 100
    ]


def normalized_percent(text: str) -> str | None:
    """Return the only percentage of a text as a decimal string without zeros at its end."""
    found = find_percents(text)
    if len(found) != 1:
        return None
    return percent_text(found[0][2])


def percent_text(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
