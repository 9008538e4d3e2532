"""The operation that says how well a page was read."""

from collections.abc import Mapping

from inference.core.contracts import Json, PageInput, Pixels
from inference.pictures.ink import ink_mask, small_picture
from inference.pipelines.operations.operation import POSTPROCESS, Operation, Setting, always, number
from inference.pipelines.operations.values import BOOLEAN, JSON, LINES, NUMBER, PAGE, Value, object_of, quad_of
from inference.quality.facts import UnreadLine, facts_of
from inference.quality.quality import REVIEW_BELOW, quality_of
from inference.quality.warnings import Sheet, warnings_of

BLANK_SHARE = 0.00005
"""The share of ink, at most, on a blank page."""
DARK = 60.0
"""The mean gray level below which a page without ink is no blank paper: it may be a scan that failed."""
ALWAYS_REVIEWED = frozenset({"doubtful_order", "cut_off", "unknown_script", "handwriting"})
"""The codes of warnings with which a page needs review, whatever its quality. So does a page with
`nearly_blank` where no text could be read.
"""


def _run(inputs: Mapping[str, Value], settings: Mapping[str, Json]) -> Value:
    lines, page = inputs["lines"], inputs["page"]
    unread = [UnreadLine(quad_of(line["box"]), line["script"]) for line in inputs["unread"]]
    facts = facts_of(lines, unread, float(inputs["certainty"]))
    quality = quality_of(facts)
    warnings = warnings_of(lines, unread, facts, _sheet(page, has_text=bool(facts.characters)))
    asking = ALWAYS_REVIEWED if facts.characters else ALWAYS_REVIEWED | {"nearly_blank"}
    doubtful = quality < settings["review_below"] or any(warning.code in asking for warning in warnings)
    return {
        "quality": quality,
        "needs_review": doubtful,
        "warnings": [warning.as_json() for warning in warnings],
    }


def _sheet(page: PageInput, *, has_text: bool) -> Sheet | None:
    """Return what matters of the picture, or None for a page with text of its own, whose picture is not needed."""
    if page.text_lines is not None or page.load_pixels is None:
        return None
    return Sheet(page.width_px, page.height_px, is_blank=not has_text and _is_blank(page.load_pixels()))


def _is_blank(pixels: Pixels) -> bool:
    gray = small_picture(pixels).gray
    return float(gray.mean()) >= DARK and float(ink_mask(gray).mean()) <= BLANK_SHARE


ASSESS = Operation(
    "assess",
    POSTPROCESS,
    gives=always(object_of({"quality": NUMBER, "needs_review": BOOLEAN, "warnings": JSON})),
    run=_run,
    takes={"page": PAGE, "lines": LINES, "unread": JSON, "certainty": NUMBER},
    settings=(Setting("review_below", number(0, 1), "a number from 0 to 1", REVIEW_BELOW),),
)
