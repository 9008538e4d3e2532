"""Byte counts as text for people. The units are powers of 1000, as in the limits that people type in."""

_UNITS = ("bytes", "kB", "MB", "GB")


def size(amount_bytes: int) -> str:
    amount, place = float(amount_bytes), 0
    while amount >= 1000 and place < len(_UNITS) - 1:
        amount, place = amount / 1000, place + 1
    written = f"{amount:,.1f}".removesuffix(".0")
    return f"{written} {_UNITS[place]}"
