"""The built-in pipeline `ocr`: it turns a page upright, reads its lines, orders them, and says how sure it is."""

from inference.core.contracts import Json

ORIENT, READ = "orient", "read"
"""The roles of its members."""

MIN_CONFIDENCE: Json = {
    "name": "min_confidence",
    "type": "number",
    "default": 0.5,
    "minimum": 0,
    "maximum": 1,
    "description": "Recognized lines below this confidence are left out.",
}


def laid_out(*, page: str, lines: str, unread: Json, height: str) -> list[Json]:
    """Return the steps that find the tables of a page, put its lines in order, and judge the reading."""
    return [
        {"name": "rules", "kind": "preprocess", "operation": "rules", "inputs": {"page": page}},
        {
            "name": "tables",
            "kind": "postprocess",
            "operation": "tables",
            "inputs": {"lines": lines, "rules": "rules"},
        },
        {
            "name": "layout",
            "kind": "postprocess",
            "operation": "layout",
            "inputs": {"lines": lines, "height": height, "tables": "tables"},
        },
        {
            "name": "assess",
            "kind": "postprocess",
            "operation": "assess",
            "inputs": {
                "page": page,
                "lines": "layout.lines",
                "unread": unread,
                "certainty": "layout.certainty",
            },
        },
        {
            "name": "warned",
            "kind": "postprocess",
            "operation": "table_warnings",
            "inputs": {"tables": "tables", "warnings": "assess.warnings"},
        },
    ]


MARKS = ("codes", "marks", "pairs")
"""The fields of an answer for what is on a page beside its text."""


def found_marks(*, page: str) -> Json:
    """Return the step that lists what is on a page beside its text."""
    inputs = {"page": page, "lines": "layout.lines"}
    return {"name": "marks", "kind": "postprocess", "operation": "find_marks", "inputs": inputs}


def _upright(name: str, rotation: str) -> Json:
    inputs = {"page": "input", "rotation": rotation, "angle": "orient.angle", "sheet": "orient.sheet"}
    return {"name": name, "kind": "preprocess", "operation": "upright_page", "inputs": inputs}


def _read(name: str, page: str) -> Json:
    parameters = {"min_confidence": "parameters.min_confidence"}
    return {"name": name, "kind": "model", "role": READ, "inputs": {"page": page}, "parameters": parameters}


_LINES = ("lines", "unread", "width", "height")
_TURNED_OVER: Json = {
    # Lines show which way up they are where the page as a whole does not, as in Hebrew.
    "steps": [_upright("over", "way_up"), _read("read_again", "over")],
    "output": {"page": "over", **{name: f"read_again.{name}" for name in _LINES}},
}

OCR: Json = {
    "accepts": ["document"],
    "documents": ["pdf", "image"],
    "parameters": [MIN_CONFIDENCE],
    "steps": [
        {"name": "orient", "kind": "model", "role": ORIENT, "inputs": {"page": "input"}},
        _upright("upright", "orient.rotation"),
        _read("read", "upright"),
        {
            "name": "way_up",
            "kind": "postprocess",
            "operation": "way_up",
            "inputs": {"rotation": "orient.rotation", "upside_down": "read.upside_down"},
        },
        {
            "name": "reading",
            "kind": "branch",
            "if": {"value": "read.upside_down", "is": True},
            "then": _TURNED_OVER,
            "else": {"output": {"page": "upright", **{name: f"read.{name}" for name in _LINES}}},
        },
        *laid_out(page="reading.page", lines="reading.lines", unread="reading.unread", height="reading.height"),
        found_marks(page="reading.page"),
    ],
    "output": {
        "text": "layout.text",
        "lines": "layout.lines",
        "blocks": "layout.blocks",
        "tables": "tables",
        "width": "reading.width",
        "height": "reading.height",
        "rotation": "way_up",
        "angle": "orient.angle",
        "sheet": "orient.sheet",
        "quality": "assess.quality",
        "needs_review": "assess.needs_review",
        "warnings": "warned",
        **{name: f"marks.{name}" for name in MARKS},
    },
}
