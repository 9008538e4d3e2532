"""Results of pages with lines at places, as `parse` stores them."""

from collections.abc import Mapping, Sequence

from inference.core.contracts import Json

LINE = 24.0
LETTER = 10.0
Printed = tuple[float, float, str]
"""The left and the top of a line in pixels, and its text."""


def page(*lines: Printed, tables: Sequence[Json] = (), marks: Sequence[Json] = ()) -> Mapping[str, Json]:
    return {
        "lines": [{"text": text, "box": box_of(x, y, text), "confidence": 1.0} for x, y, text in lines],
        "tables": list(tables),
        "marks": list(marks),
        "width": 1000,
        "height": 1400,
    }


def box_of(x: float, y: float, text: str) -> Json:
    right = x + LETTER * len(text)
    return [[x, y], [right, y], [right, y + 20], [x, y + 20]]


def around(result: Mapping[str, Json], text: str, line: int = 0) -> tuple[float, float, float, float]:
    """Return the box that a person draws around a text, in a line or the first that has it."""
    for each in result["lines"][line:]:
        if text in each["text"]:
            (left, top), _, (_, bottom), _ = each["box"]
            start = left + LETTER * each["text"].index(text)
            return start - 2, top - 1, start + LETTER * len(text) + 2, bottom + 1
    raise ValueError(f"no line has {text!r}")
