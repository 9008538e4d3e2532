"""Currencies as they are written beside amounts: ISO codes, signs and short names."""

import re

_CODES = """EUR USD GBP CHF CAD AUD NZD JPY CNY SEK NOK DKK PLN CZK
HUF RON BGN TRY INR BRL MXN ZAR SGD HKD AED ILS KRW ISK
ARS CLP COP PEN UYU RSD UAH THB SAR"""
CODES = frozenset(_CODES.split())
SIGNS = {
    "€": "EUR",
    "£": "GBP",
    "US$": "USD",
    "U$S": "USD",
    "C$": "CAD",
    "CA$": "CAD",
    "A$": "AUD",
    "AU$": "AUD",
    "NZ$": "NZD",
    "HK$": "HKD",
    "S$": "SGD",
    "R$": "BRL",
    "$": "USD",
    "¥": "JPY",
    "₹": "INR",
    "₺": "TRY",
    "zł": "PLN",
    "Kč": "CZK",
    "Fr.": "CHF",
    "SFr.": "CHF",
    "sFr.": "CHF",
    "Euro": "EUR",
    "euros": "EUR",
    "euro": "EUR",
    "Euros": "EUR",
}
_NAMES = sorted((*SIGNS, *CODES), key=len, reverse=True)
PATTERN = "|".join(re.escape(name) for name in _NAMES)
"""The ways to write a currency, the longest first."""
CURRENCY = re.compile(rf"(?<![^\W\d_])(?:{PATTERN})(?![^\W\d_])|[€£](?![^\W\d_])")


def normalized_currency(text: str) -> str | None:
    """Return the ISO code of a currency as it was written, or None if it is unknown."""
    name = text.strip()
    if name in SIGNS:
        return SIGNS[name]
    return name.upper() if name.upper() in CODES else None
