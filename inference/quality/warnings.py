"""Warnings about a page, in plain sentences: what may be wrong with its text, and where."""

from collections.abc import Sequence
from dataclasses import dataclass

from inference.core.contracts import Json, Quad, TextLine
from inference.layout.boxes import Box
from inference.quality.facts import LOW_CONFIDENCE, ReadingFacts, UnreadLine
from inference.scripts.page_scripts import HANDWRITING, NAMES, TURNED

LOW_LINE_PIXELS = 13.0
"""The usual height of a line's box below which print is too small. 6 points at 100 dpi are 11 pixels."""
EDGE_PIXELS = 2.0
MAX_BOXES = 20
DOUBTFUL_ORDER = 0.6
NEARLY_BLANK_CHARACTERS = 8
MIN_DOUBTFUL_SHARE = 0.1
MIN_UNREAD_SHARE = 0.02
MIN_UNKNOWN_LENGTH = 8.0
"""The length of all lines in an unknown script, as a multiple of their height, from which there is a warning. Some word
or picture is taken for one now and then.
"""


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
    """Set if there is neither text nor ink on light paper."""


def warnings_of(
    lines: Sequence[TextLine], unread: Sequence[UnreadLine], facts: ReadingFacts, sheet: Sheet | None
) -> list[Warning]:
    found = [*_unknown(unread)]
    if sheet is not None and not facts.characters:
        return found or [_BLANK if sheet.is_blank else _NO_TEXT]
    found += _doubtful(lines, unread, facts)
    if facts.order_certainty < DOUBTFUL_ORDER:
        found.append(_ORDER)
    if sheet is not None:
        found += _about_picture(lines, facts, sheet)
    return found


def picture_unread(count: int) -> Warning:
    pictures = "A picture on the page was" if count == 1 else f"{count} pictures on the page were"
    return Warning("picture_unread", f"{pictures} not read. If text matters there, send the document as a PDF.")


_BLANK = Warning("blank", "The page is blank.")
_NO_TEXT = Warning("nearly_blank", "The page has marks or pictures, but no text that could be read.")
_NEARLY_BLANK = Warning("nearly_blank", "The page is almost blank.")
_ORDER = Warning("doubtful_order", "The order of the text is doubtful. Compare it with the picture.")
_SMALL = Warning("low_resolution", "The print is very small for this picture. Scan at 200 dpi or more.")


def _unknown(unread: Sequence[UnreadLine]) -> list[Warning]:
    """Return a warning for each script that the model does not know, named if its name is known."""
    by_script: dict[str, list[UnreadLine]] = {}
    for line in unread:
        if line.script not in (None, TURNED):
            by_script.setdefault(line.script, []).append(line)
    return [
        _of_script(script, found)
        for script, found in by_script.items()
        if sum(line.length for line in found) >= MIN_UNKNOWN_LENGTH
    ]


def _of_script(script: str, lines: Sequence[UnreadLine]) -> Warning:
    count = "One line is" if len(lines) == 1 else f"{len(lines)} lines are"
    around = Box.around(Box.of_corners(line.box) for line in lines[:MAX_BOXES]).corners()
    if script == HANDWRITING:
        return Warning("handwriting", f"{count} in handwriting, which may be read wrong or not at all.", around)
    letters = f"{NAMES[script]} letters" if script in NAMES else "letters"
    message = f"{count} in {letters} that this model does not know, and missing or wrong in the text."
    return Warning("unknown_script", message, around)


def _doubtful(lines: Sequence[TextLine], unread: Sequence[UnreadLine], facts: ReadingFacts) -> list[Warning]:
    share = facts.unread_share + (1 - facts.unread_share) * facts.doubtful_share
    if share < MIN_DOUBTFUL_SHARE:
        return []
    doubtful = [line.box for line in lines if line.confidence is not None and line.confidence < LOW_CONFIDENCE]
    boxes = [box for box in (*doubtful, *(line.box for line in unread)) if box is not None]
    how = "with low confidence" if facts.unread_share < MIN_UNREAD_SHARE else "with low confidence or not at all"
    message = f"{round(100 * share)} % of the text was read {how}."
    if not boxes:
        return [Warning("low_confidence", message)]
    around = Box.around(map(Box.of_corners, boxes[:MAX_BOXES]))
    return [Warning("low_confidence", message, around.corners())]


def _about_picture(lines: Sequence[TextLine], facts: ReadingFacts, sheet: Sheet) -> list[Warning]:
    found = []
    if facts.characters < NEARLY_BLANK_CHARACTERS and facts.unread_share < MIN_UNREAD_SHARE:
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
