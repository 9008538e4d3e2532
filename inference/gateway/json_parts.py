"""Count the parts of a JSON text before it is parsed, because parsing blocks every thread of the process until it is
done.
"""

import re

MAX_MARKS = 100_000
"""The most lists, objects and keys together. With this many of them and as many values as below, parsing takes about
0.3 s of one core.
"""
MAX_VALUES = 600_000
"""The most values: as many as the tokens of the longest list of texts that can be embedded, and some more."""
_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)


def has_too_many_parts(text: bytes, max_marks: int = MAX_MARKS) -> bool:
    """Return whether the text has too many lists, objects and keys. `text` is UTF-8 of any length that is worth
    parsing.
    """
    if not _is_beyond(text, max_marks):
        return False
    # Marks inside strings do not count. A second pass without the strings is worth its time only if the text has many
    # marks.
    max_texts = max_marks + MAX_VALUES
    bare, texts = _TEXT.subn(b"", text, count=max_texts)
    return texts == max_texts or _is_beyond(bare, max_marks)


def _is_beyond(text: bytes, max_marks: int) -> bool:
    marks = text.count(b"[") + text.count(b"{") + text.count(b":")
    return marks > max_marks or text.count(b",") > MAX_VALUES
