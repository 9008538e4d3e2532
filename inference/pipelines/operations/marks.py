"""The operation that lists what is on a page beside its text: codes, tick boxes, form fields and pairs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inference.core.contracts import Code, FormValue, Json, PageInput, Quad, TextLine
from inference.fields.pairs import page_pairs
from inference.layout.boxes import Box
from inference.marks.labels import labels_of, row_of
from inference.marks.picture_boxes import find_tick_boxes
from inference.pipelines.operations.operation import POSTPROCESS, Operation, always
from inference.pipelines.operations.pages import print_box
from inference.pipelines.operations.values import JSON, LINES, PAGE, Value, object_of

SAME = 0.3
"""The share of the smaller of two boxes that both cover from which on they are the same."""


@dataclass(frozen=True, slots=True)
class _Mark:
    box: Box
    checked: bool
    label: str = ""
    name: str = ""


def _find_marks(inputs: Mapping[str, Value], settings: Mapping[str, Json]) -> Value:
    page: PageInput = inputs["page"]
    lines: Sequence[TextLine] = inputs["lines"]
    placed = [(line, print_box(line)) for line in lines if line.box]
    known = [_Mark(Box.of_corners(tick.box), tick.checked, tick.label, tick.name) for tick in page.findings.tick_boxes]
    marks = [*known, *_drawn(page, [box for _, box in placed], [mark.box for mark in known])]
    return {
        "codes": [_code(code) for code in page.findings.codes],
        "marks": list(_labeled(marks, placed)),
        "pairs": _pairs(page, lines),
    }


def _pairs(page: PageInput, lines: Sequence[TextLine]) -> list[Json]:
    """Return the form fields, and the pairs that are printed where no form field is."""
    forms = [_pair(value) for value in page.findings.form_values]
    taken = [Box.of_corners(pair["value_box"]) for pair in forms]
    printed = page_pairs(lines, None, None)
    return [
        *forms,
        *(pair for pair in printed if not any(_same(Box.of_corners(pair["value_box"]), box) for box in taken)),
    ]


def _drawn(page: PageInput, texts: Sequence[Box], known: Sequence[Box]) -> Iterator[_Mark]:
    """Yield the tick boxes on the picture, or on the scanned parts of a page with text of its own."""
    if page.load_pixels is None or not texts or (page.text_lines is not None and not page.scans):
        return
    taken = [*known, *(Box.of_corners(code.box) for code in page.findings.codes)]
    for found in find_tick_boxes(page.load_pixels(), texts):
        in_scan = page.text_lines is None or any(_covers(Box(*scan), found.box) for scan in page.scans)
        if in_scan and not any(_same(found.box, box) for box in taken):
            yield _Mark(found.box, found.checked)


def _labeled(marks: Sequence[_Mark], placed: Iterable[tuple[TextLine, Box]]) -> Iterator[Json]:
    """Yield the marks from top to bottom. One that nothing says the meaning of is left out."""
    if not marks:
        return
    beside = labels_of([mark.box for mark in marks], [row_of(line, box) for line, box in placed])
    found = [
        (mark, label) for mark, text in zip(marks, beside, strict=True) if (label := mark.label or text or mark.name)
    ]
    for mark, label in sorted(found, key=lambda each: (each[0].box.top, each[0].box.left)):
        yield {"label": label, "checked": mark.checked, "box": _rounded(mark.box.corners())}


def _code(code: Code) -> Json:
    encoded = {"base64": code.base64} if code.base64 else {}
    return {"symbology": code.symbology, "text": code.text, **encoded, "box": _rounded(code.box)}


def _pair(value: FormValue) -> Json:
    box = _rounded(Box.of_corners(value.box).corners())
    return {"key": value.key, "key_box": None, "value": value.value, "value_box": box, "confidence": 1.0}


def _rounded(corners: Quad) -> Json:
    return [[round(x, 1), round(y, 1)] for x, y in corners]


def _covers(scan: Box, box: Box) -> bool:
    return scan.left <= box.center <= scan.right and scan.top <= box.middle <= scan.bottom


def _same(one: Box, other: Box) -> bool:
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    smaller = min(one.width * one.height, other.width * other.height)
    return across > 0 and down > 0 and across * down >= SAME * smaller


FIND_MARKS = Operation(
    "find_marks",
    POSTPROCESS,
    gives=always(object_of({"codes": JSON, "marks": JSON, "pairs": JSON})),
    run=_find_marks,
    takes={"page": PAGE, "lines": LINES},
)
