"""Byte counts as text for people. The units are powers of 1000, as in the limits that people type in."""

MB = 1_000_000
_UNITS = ("bytes", "kB", "MB", "GB")


def size(amount_bytes: int) -> str:
    amount, unit = float(amount_bytes), 0
    while amount >= 1000 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    written = f"{amount:,.1f}".removesuffix(".0")
    return f"{written} {_UNITS[unit]}"
