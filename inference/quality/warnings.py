"""Warnings about a page, in plain sentences: what may be wrong with its text, and where."""

from collections.abc import Sequence
from dataclasses import dataclass

from inference.core.contracts import Json, Quad, TextLine
from inference.layout.boxes import Box
from inference.quality.facts import LOW_CONFIDENCE, ReadingFacts

LOW_LINE_PIXELS = 13.0
"""The usual height of a line's box below which print is too small. 6 points at 100 dpi are 11 pixels."""
EDGE_PIXELS = 2.0
MAX_BOXES = 20
DOUBTFUL_ORDER = 0.6
NEARLY_BLANK_CHARACTERS = 8
MIN_DOUBTFUL_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Warning:
    code: str
    message: str
    box: Quad | None = None

    def as_json(self) -> Json:
        box = {} if self.box is None else {"box": [[round(x, 1), round(y, 1)] for x, y in self.box]}
        return {"code": self.code, "message": self.message, **box}


@dataclass(frozen=True, slots=True)
class Sheet:
    """The shown picture of the page, as far as warnings depend on it."""

    width: float
    height: float
    is_blank: bool
    """Whether there is neither text nor ink."""


def warnings_of(lines: Sequence[TextLine], facts: ReadingFacts, sheet: Sheet | None) -> list[Warning]:
    if sheet is not None and not facts.characters:
        return [_BLANK if sheet.is_blank else _NO_TEXT]
    found = [*_doubtful(lines, facts)]
    if facts.order_certainty < DOUBTFUL_ORDER:
        found.append(_ORDER)
    if sheet is not None:
        found += _about_picture(lines, facts, sheet)
    return found


_BLANK = Warning("blank", "The page is blank.")
_NO_TEXT = Warning("nearly_blank", "The page has marks or pictures, but no text that could be read.")
_NEARLY_BLANK = Warning("nearly_blank", "The page is almost blank.")
_ORDER = Warning("doubtful_order", "The order of the text is doubtful. Compare it with the picture.")
_SMALL = Warning("low_resolution", "The print is very small for this picture. Scan at 200 dpi or more.")


def _doubtful(lines: Sequence[TextLine], facts: ReadingFacts) -> list[Warning]:
    if facts.doubtful_share < MIN_DOUBTFUL_SHARE:
        return []
    doubtful = [line for line in lines if line.confidence is not None and line.confidence < LOW_CONFIDENCE]
    percent = round(100 * facts.doubtful_share)
    message = f"{percent} % of the text was read with low confidence."
    boxes = [line.box for line in doubtful if line.box is not None]
    if not boxes:
        return [Warning("low_confidence", message)]
    around = Box.around(map(Box.of_corners, boxes[:MAX_BOXES]))
    return [Warning("low_confidence", message, around.corners())]


def _about_picture(lines: Sequence[TextLine], facts: ReadingFacts, sheet: Sheet) -> list[Warning]:
    found = []
    if facts.characters < NEARLY_BLANK_CHARACTERS:
        found.append(_NEARLY_BLANK)
    if 0 < facts.line_height < LOW_LINE_PIXELS:
        found.append(_SMALL)
    boxes = [Box.of_corners(line.box) for line in lines if line.box is not None]
    cut = [box for box in boxes if _is_cut(box, sheet)]
    if cut:
        message = "Text runs over the edge of the picture. Part of the page may be missing."
        found.append(Warning("cut_off", message, cut[0].corners()))
    return found


def _is_cut(box: Box, sheet: Sheet) -> bool:
    """Return whether a line ends at the left or right edge, or lies at the upper or lower one."""
    return (
        box.left <= EDGE_PIXELS
        or box.right >= sheet.width - EDGE_PIXELS
        or box.top <= EDGE_PIXELS
        or box.bottom >= sheet.height - EDGE_PIXELS
    )
