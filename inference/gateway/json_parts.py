"""How much a JSON text holds, told before it is read: reading it stops every thread of the process until it is done."""

import re

MOST_MARKS = 100_000
"""Lists, objects and keys. With as many values as below they are read in about 0.3 s of one core."""
MOST_VALUES = 600_000
"""As many as the tokens of the longest list of texts that is embedded, and some more."""
_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)


def has_too_many_parts(text: bytes, most_marks: int = MOST_MARKS) -> bool:
    """`text` in UTF-8, of any length that is worth looking at."""
    if not _is_beyond(text, most_marks):
        return False
    # What stands inside texts is none; a second look is worth its time only where there may be some.
    most_texts = most_marks + MOST_VALUES
    bare, texts = _TEXT.subn(b"", text, count=most_texts)
    return texts == most_texts or _is_beyond(bare, most_marks)


def _is_beyond(text: bytes, most_marks: int) -> bool:
    marks = text.count(b"[") + text.count(b"{") + text.count(b":")
    return marks > most_marks or text.count(b",") > MOST_VALUES
