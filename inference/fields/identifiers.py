"""Identifiers with check digits: bank accounts (IBAN) and tax numbers of companies (VAT)."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

IBAN_LENGTHS: Mapping[str, int] = {
    **{"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28},
    **{"CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18},
    **{"FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22},
    **{"IL": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LI": 21, "LT": 20, "LU": 20, "LV": 21},
    **{"MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28},
    **{"PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TN": 24},
    **{"TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20},
}
ONLY_DIGITS = frozenset(
    ["AT", "BE", "CZ", "DE", "DK", "EE", "ES", "FI", "HR", "HU", "IS", "LT", "NO", "PL", "PT", "RS", "SE", "SI", "SK"]
)
"""The countries whose account numbers have digits only, so that letters there are misread digits."""
_MISREAD = str.maketrans("OoQDIlSBZ", "000011582")
_IBAN = re.compile(r"(?:(?<![A-Za-z0-9])|(?<=IBAN))[A-Z]{2}[ ]?[0-9OIlSB]{2}(?:[ \u00a0.-]{0,2}[A-Za-z0-9]){11,38}")
_NO_SIGN = re.compile(r"[^A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class Identifier:
    start: int
    end: int
    text: str
    normalized: str
    is_exact: bool = True
    """It is set if the check digits are right as written. Otherwise they are right once misread digits are mended."""


def is_iban(text: str) -> bool:
    """Return whether a text without spaces is an IBAN: its length is that of its country, and it has remainder 1."""
    if len(text) != IBAN_LENGTHS.get(text[:2]) or not text.isascii() or not text.isalnum() or not text[2:4].isdigit():
        return False
    return int("".join(str(int(sign, 36)) for sign in text[4:] + text[:4])) % 97 == 1


def normalized_iban(text: str) -> str | None:
    """Return an IBAN without spaces, or None if the check digits are wrong."""
    compact = _NO_SIGN.sub("", text).upper()
    return compact if is_iban(compact) else None


def iban_fault(text: str) -> str:
    """Return why a text is no IBAN, as the end of a sentence about it, or an empty text if it is one."""
    compact = _NO_SIGN.sub("", text).upper()
    country = compact[:2]
    wanted = IBAN_LENGTHS.get(country)
    if wanted is None:
        return "does not begin with a country that has IBANs."
    if len(compact) != wanted:
        return f"has {len(compact)} letters and digits, but one of {country} has {wanted}."
    return "" if is_iban(compact) else "has wrong check digits."


def find_ibans(text: str) -> list[Identifier]:
    """Return the IBANs in a text, also those in which letters stand for digits that look the same."""
    return [found for match in _IBAN.finditer(text) if (found := _iban_at(text, match.start(), match.end()))]


def _iban_at(text: str, start: int, limit: int) -> Identifier | None:
    country = text[start : start + 2]
    wanted = IBAN_LENGTHS.get(country)
    if wanted is None:
        return None
    positions = [position for position in range(start, limit) if text[position].isalnum()]
    if len(positions) < wanted:
        return None
    end = positions[wanted - 1] + 1
    compact = _NO_SIGN.sub("", text[start:end])
    if is_iban(compact.upper()):
        return Identifier(start, end, text[start:end], compact.upper())
    body = compact[4:].translate(_MISREAD) if country in ONLY_DIGITS else compact[4:].upper()
    mended = country + compact[2:4].translate(_MISREAD) + body
    return Identifier(start, end, text[start:end], mended, is_exact=False) if is_iban(mended) else None


def _weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (1 + place % 2)
        total += number - 9 * (number > 9)
    return total % 10 == 0


def _at(number: str) -> bool:
    digits = number[1:]
    doubled = sum(sum(divmod(int(digit) * (1 + place % 2), 10)) for place, digit in enumerate(digits[:7]))
    return (96 - doubled) % 10 == int(digits[7])


def _de(number: str) -> bool:
    product = 10
    for digit in number[:8]:
        total = (int(digit) + product) % 10 or 10
        product = 2 * total % 11
    return (11 - product) % 10 == int(number[8])


def _fr(number: str) -> bool:
    key, company = number[:2], number[2:]
    if not _luhn(company) and not company.startswith("356000000"):
        return False
    return not key.isdigit() or int(key) == (12 + 3 * (int(company) % 97)) % 97


def _es(number: str) -> bool:
    first, digits, last = number[0], number[1:8], number[8]
    if first.isdigit() or first in "XYZ":
        whole = {"X": "0", "Y": "1", "Z": "2"}.get(first, first) + digits
        return last == "TRWAGMYFPDXBNJZSQVHLCKE"[int(whole) % 23]
    even = sum(int(digit) for digit in digits[1::2])
    odd = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[::2])
    check = -(even + odd) % 10
    return last in (str(check), "JABCDEFGHI"[check])


def _nl(number: str) -> bool:
    if _weighted(number[:8], (9, 8, 7, 6, 5, 4, 3, 2)) % 11 == int(number[8]):
        return True
    letters = "".join(str(int(sign, 36)) for sign in f"NL{number}")
    return int(letters) % 97 == 1


def _gb(number: str) -> bool:
    if not number.isdigit():
        return True
    total = _weighted(number[:7], (8, 7, 6, 5, 4, 3, 2)) + int(number[7:9])
    return total % 97 == 0 or (total + 55) % 97 == 0


def _ch(number: str) -> bool:
    check = -_weighted(number[:8], (5, 4, 3, 2, 7, 6, 5, 4)) % 11
    return check == int(number[8])


def _pl(number: str) -> bool:
    return _weighted(number[:9], (6, 5, 7, 2, 3, 4, 5, 6, 7)) % 11 == int(number[9])


def _pt(number: str) -> bool:
    check = -_weighted(number[:8], (9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return (0 if check == 10 else check) == int(number[8])


def _ie(number: str) -> bool:
    if not number[1].isdigit():
        return True
    total = _weighted(number[:7], (8, 7, 6, 5, 4, 3, 2))
    if len(number) == 9:
        total += 9 * (ord(number[8]) - 64 if number[8] != "W" else 0)
    return number[7] == "WABCDEFGHIJKLMNOPQRSTUV"[total % 23]


def _dk(number: str) -> bool:
    return _weighted(number, (2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def _fi(number: str) -> bool:
    return -_weighted(number[:7], (7, 9, 10, 5, 8, 4, 2)) % 11 == int(number[7])


@dataclass(frozen=True, slots=True)
class _Form:
    pattern: str
    check: Callable[[str], bool] = lambda number: True


_FORMS: Mapping[str, _Form] = {
    "AT": _Form(r"U\d{8}", _at),
    "BE": _Form(r"[01]\d{9}", lambda number: 97 - int(number[:8]) % 97 == int(number[8:])),
    "CH": _Form(r"E?\d{9}(?:MWST|TVA|IVA)?", lambda number: _ch(re.sub(r"\D", "", number))),
    "CZ": _Form(r"\d{8,10}"),
    "DE": _Form(r"[1-9]\d{8}", _de),
    "DK": _Form(r"\d{8}", _dk),
    "ES": _Form(r"[A-Z]\d{7}[A-Z0-9]|\d{8}[A-Z]", _es),
    "FI": _Form(r"\d{8}", _fi),
    "FR": _Form(r"[0-9A-HJ-NP-Z]{2}\d{9}", _fr),
    "GB": _Form(r"\d{12}|\d{9}|GD\d{3}|HA\d{3}", _gb),
    "IE": _Form(r"\d[0-9A-Z+*]\d{5}[A-W][A-IW]?", _ie),
    "IT": _Form(r"\d{11}", _luhn),
    "LU": _Form(r"\d{8}", lambda number: int(number[:6]) % 89 == int(number[6:])),
    "NL": _Form(r"\d{9}B\d{2}", _nl),
    "PL": _Form(r"\d{10}", _pl),
    "PT": _Form(r"\d{9}", _pt),
    "SE": _Form(r"\d{10}01", lambda number: _luhn(number[:10])),
}
_MATCHERS = {country: re.compile(form.pattern) for country, form in _FORMS.items()}
_VAT = re.compile(
    r"(?<![A-Za-z0-9])(?:CHE[ -]?\d{3}[. ]?\d{3}[. ]?\d{3}(?: ?(?:MWST|TVA|IVA))?"
    r"|(?:AT|BE|CZ|DE|DK|ES|FI|FR|GB|IE|IT|LU|NL|PL|PT|SE)[ ]?[A-Z0-9](?:[ .-]?[A-Z0-9+*]){6,12})(?![A-Za-z0-9])"
)


def normalized_vat(text: str) -> str | None:
    """Return a VAT number without spaces and points, or None if its form or its check digits are wrong."""
    compact = re.sub(r"[^A-Z0-9+*]", "", text.upper())
    country, number = compact[:2], compact[2:]
    matcher = _MATCHERS.get(country)
    if matcher is None or not matcher.fullmatch(number) or not _FORMS[country].check(number):
        return None
    return compact


def find_vat_numbers(text: str) -> list[Identifier]:
    """Return the VAT numbers in a text whose check digits are right."""
    return list(_vat_numbers(text))


def _vat_numbers(text: str) -> Iterator[Identifier]:
    for match in _VAT.finditer(text):
        pieces = match.group().split(" ")
        for count in range(len(pieces), 0, -1):
            written = " ".join(pieces[:count])
            if normalized := normalized_vat(written):
                yield Identifier(match.start(), match.start() + len(written), written, normalized)
                break
