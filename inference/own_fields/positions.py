"""Values without a label: at the place where the texts around them expect them, or at the same place of the page."""

from collections.abc import Iterator, Sequence

from inference.fields.values import Span
from inference.own_fields.candidates import Found, Wanted, continued, found_in
from inference.own_fields.definition import Trace
from inference.own_fields.neighbors import Expected
from inference.own_fields.page import Sheet

MIN_COUNT = 2
"""The neighbors, at least, by which a place is known again."""


def at_position(
    wanted: Wanted, sheet: Sheet, pages: int, expected: Sequence[tuple[Trace, Expected | None]]
) -> Iterator[Found]:
    """Yield what stands on a page where an example of the field stood."""
    for trace, place in expected:
        known = place is not None and place.count >= MIN_COUNT
        if not known and len(trace.neighbors) >= MIN_COUNT:
            continue  # Nothing else there is as it was, so it is another kind of page.
        if not known and sheet.number != trace.page and pages - sheet.number != trace.from_end:
            continue
        yield from _at(wanted, sheet, trace, place if known else None)


def _at(wanted: Wanted, sheet: Sheet, trace: Trace, place: Expected | None) -> Iterator[Found]:
    width, height, line = sheet.text.width, sheet.text.height, sheet.text.line_height
    left = place.left if place else trace.position[0] * width
    first = trace.position[1] + (trace.position[3] - trace.position[1]) / (2 * max(1, trace.shape.count("\n") + 1))
    rows = trace.shape.count("\n")
    middle = place.middle if place else first * height
    if place and rows:
        middle -= (trace.position[3] - trace.position[1]) * height * (0.5 - 0.5 / (rows + 1))
    right = left + (trace.position[2] - trace.position[0]) * width
    slack = (0.7 if place else 1.2) * line
    for piece in sheet.text.pieces:
        if abs(piece.box.middle - middle) > slack or piece.box.left > right or piece.box.right < left:
            continue
        found = found_in(wanted, sheet, Span(piece, 0, len(piece.text), "beside"))
        if found is None:
            continue
        box = found.parts[0].box
        off = min(abs(box.left - left), abs(box.right - right)) / (0.08 * width)
        off += 0.4 * abs(piece.box.middle - middle) / line
        sure = 0.55 + 0.45 * place.support if place else 0.6
        if wanted.own.type == "text" and wanted.max_lines > 1:
            found = continued(wanted, sheet, found, wanted.neighbors)
        yield found.scored(sure * max(0.0, 1 - off * off))
