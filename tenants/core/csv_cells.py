"""Cells of CSV files that a spreadsheet takes for text and never for a formula. This module is pure."""

_DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe(text: str) -> str:
    """Prefix a cell that begins like a formula with an apostrophe, so that a spreadsheet treats it as text."""
    return f"'{text}" if text.startswith(_DANGEROUS) else text
