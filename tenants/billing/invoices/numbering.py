"""Gapless invoice numbers. A number is taken in the transaction that writes the invoice, and a rollback returns it."""

from dataclasses import dataclass

from django.db import connections

from tenants.core.db.unit_of_work import OPERATOR

_TAKE = """
INSERT INTO tenants_numberseries AS series (name, last) VALUES (%(name)s, 1)
ON CONFLICT (name) DO UPDATE SET last = series.last + 1
RETURNING last
"""
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Number:
    series: str
    sequence: int

    def __str__(self) -> str:
        return f"{self.series}-{self.sequence:0{DIGITS}d}"


def series_of(prefix: str, year: int, *, credit_note: bool) -> str:
    return f"{prefix}-C-{year}" if credit_note else f"{prefix}-{year}"


def take_number(series: str) -> Number:
    """Take the next number. Make it the last lock of the transaction, because all other billing waits for it."""
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_TAKE, {"name": series})
        (last,) = cursor.fetchone()
    return Number(series, int(last))
