"""Values of each type in a text: where they are, and how a program reads them."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from inference.classes.canonical import plain
from inference.fields.amounts import decimal_text, find_amounts, parse_number
from inference.fields.dates import Order, find_dates
from inference.fields.identifiers import find_ibans, find_vat_numbers

Text = str
ORDERS: Mapping[str, Order] = {"dmy": "dmy", "mdy": "mdy"}


@dataclass(frozen=True, slots=True)
class Style:
    """The way in which numbers and dates are written in a document."""

    order: Order | None = None
    decimal: str | None = None


@dataclass(frozen=True, slots=True)
class Value:
    start: int
    end: int
    normalized: str | None
    score: float = 1.0
    options: tuple[str, ...] = ()
    """The ISO dates that it may mean, if there are several."""


_NUMBER = re.compile(
    r"(?<![\w.,/-])[-−–]?\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?![\w]|[.,]\d)"
    r"|(?<![\w.,/-])[-−–]?\d+(?:[.,]\d+)?(?!\d|[.,/-]\d)"
)
_EMAIL = re.compile(r"[\w.+%-]+ ?@ ?[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")
_PHONE = re.compile(
    r"(?<![\w.,/])(?:\+|00|\(0|0|\(\+)[\d ()/.–-]{5,24}\d(?!\w)|(?<![\w.,/])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\w)"
)
_TOKEN = re.compile(r"[^\W_](?:[^\W_]|[-./_#\\:+](?=[^\W_]))*")
YES = frozenset(["yes", "y", "ja", "j", "oui", "si", "true", "x", "vrai", "vero", "sim", "tak", "ano", "да"])
NO = frozenset(["no", "n", "nein", "non", "nee", "false", "falso", "faux", "nao", "nie", "ne", "нет"])
MAX_IDENTIFIER_WORDS, MAX_IDENTIFIER = 4, 40
_JOINING = " \u00a0-/."
"""The signs between the words of an identifier."""
TICKED, EMPTY = frozenset("☒☑✓✔✗✘"), frozenset("☐□")


def values_in(text: Text, kind: str, style: Style) -> Iterator[Value]:
    """Yield the values of a type in a text, from left to right."""
    yield from _FINDERS[kind](text, style)


def _text(text: Text, style: Style) -> Iterator[Value]:
    stripped = text.strip()
    if any(map(str.isalnum, stripped)):
        start = text.index(stripped)
        yield Value(start, start + len(stripped), " ".join(stripped.split()))


def _number(text: Text, style: Style) -> Iterator[Value]:
    for match in _NUMBER.finditer(text):
        written = match.group().lstrip("-−–")
        parsed = parse_number(written, style.decimal)
        if parsed is not None:
            negative = "-" if match.group() != written else ""
            yield Value(*match.span(), f"{negative}{parsed:f}")


def _amount(text: Text, style: Style) -> Iterator[Value]:
    for amount in find_amounts(text, style.decimal):
        sure = 1.0 if amount.has_cents or amount.currency else 0.8
        yield Value(amount.start, amount.end, decimal_text(amount.value), sure)


def _date(text: Text, style: Style) -> Iterator[Value]:
    for found in find_dates(text):
        day = found.resolved(style.order)
        options = () if day else tuple(option.isoformat() for option in found.options)
        yield Value(found.start, found.end, day.isoformat() if day else None, 1.0, options)


def _identifier(text: Text, style: Style) -> Iterator[Value]:
    """Yield each word with a digit, and each run of up to four words that has one."""
    tokens = list(_TOKEN.finditer(text))[:12]
    for first, token in enumerate(tokens):
        for last in range(first, min(first + MAX_IDENTIFIER_WORDS, len(tokens))):
            if last > first and text[tokens[last - 1].end() : tokens[last].start()].strip(_JOINING):
                break
            end = tokens[last].end()
            written = text[token.start() : end]
            if len(written) > MAX_IDENTIFIER:
                break
            digits = sum(map(str.isdigit, written))
            if digits:
                yield Value(token.start(), end, written, 1.0 if digits > 1 or last == first else 0.8)


def _iban(text: Text, style: Style) -> Iterator[Value]:
    for found in find_ibans(text):
        yield Value(found.start, found.end, found.normalized, 1.0 if found.is_exact else 0.85)


def _vat_number(text: Text, style: Style) -> Iterator[Value]:
    for found in find_vat_numbers(text):
        yield Value(found.start, found.end, found.normalized)


def _email(text: Text, style: Style) -> Iterator[Value]:
    for match in _EMAIL.finditer(text):
        yield Value(*match.span(), match.group().replace(" ", "").lower())


def _phone(text: Text, style: Style) -> Iterator[Value]:
    for match in _PHONE.finditer(text):
        digits = "".join(filter(str.isdigit, match.group()))
        if 6 <= len(digits) <= 15 and not find_dates(match.group()):
            yield Value(*match.span(), ("+" if "+" in match.group()[:2] else "") + digits)


def _yes_no(text: Text, style: Style) -> Iterator[Value]:
    for match in re.finditer(r"\w+|[☒☑✓✔✗✘☐□]", text):
        answer = answer_of(match.group())
        if answer:
            yield Value(*match.span(), answer)


def answer_of(word: str) -> str | None:
    """Return `yes` or `no` if a word or sign means it, or None."""
    bare = plain(word)
    if word in TICKED or bare in YES:
        return "yes"
    return "no" if word in EMPTY or bare in NO else None


_FINDERS: Mapping[str, Callable[[Text, Style], Iterator[Value]]] = {
    "text": _text,
    "number": _number,
    "amount": _amount,
    "date": _date,
    "identifier": _identifier,
    "iban": _iban,
    "vat_number": _vat_number,
    "email": _email,
    "phone": _phone,
    "yes_no": _yes_no,
}
