"""Amounts in whole units of a currency that add up to their rounded sum, however the parts would be rounded."""

from collections.abc import Sequence

CENT_MICROS = 10_000
_OTHER_UNITS = {
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF"), 1_000_000),
    **dict.fromkeys(("UGX", "VND", "VUV", "XAF", "XOF", "XPF"), 1_000_000),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 1_000),
}


def unit_micros(currency: str) -> int:
    """Return the smallest amount that can be paid in a currency."""
    return _OTHER_UNITS.get(currency, CENT_MICROS)


def rounded(amount: int, unit: int) -> int:
    """Round to a multiple of `unit`, half to even."""
    whole, rest = divmod(amount, unit)
    return (whole + (2 * rest > unit or (2 * rest == unit and whole % 2 == 1))) * unit


def in_units(amounts: Sequence[int], unit: int) -> list[int]:
    """Round each amount so that the sum is the rounded sum. The largest remainders are rounded up first."""
    down = [amount - amount % unit for amount in amounts]
    missing = (rounded(sum(amounts), unit) - sum(down)) // unit
    largest_rest = sorted(range(len(amounts)), key=lambda position: (-(amounts[position] % unit), position))
    for position in largest_rest[:missing]:
        down[position] += unit
    return down


def spread(whole: int, parts: int) -> list[int]:
    """Spread a number over parts as evenly as whole numbers allow, with the larger ones first."""
    each, rest = divmod(whole, parts)
    return [each + (position < rest) for position in range(parts)]
