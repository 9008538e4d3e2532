"""A short message on a page of its own, for a page that a searchable PDF lacks. This module is pure."""

import textwrap

FONT = "H"
_SIZE, _LEADING, _MARGIN = 11, 16, 56
_CHARACTERS = 84
"""The number of characters that fit on a text line of an A4 page in Helvetica at this size."""
_MAX_LINES = 40


def visible_remark(words: str, height_points: float) -> bytes:
    """Return the drawing instructions for a message. Letters that Helvetica lacks become question marks."""
    lines = textwrap.wrap(words, _CHARACTERS)[:_MAX_LINES]
    shown = " ".join(f"<{line.encode('cp1252', 'replace').hex()}> Tj T*" for line in lines)
    start = f"{_MARGIN} {height_points - _MARGIN:.2f} Td"
    return f"BT /{FONT} {_SIZE} Tf {_LEADING} TL {start} {shown} ET\n".encode("ascii")
