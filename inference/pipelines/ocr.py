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
    """Return the steps that put the lines of a page in order and judge the reading."""
    return [
        {
            "name": "layout",
            "kind": "postprocess",
            "operation": "layout",
            "inputs": {"lines": lines, "height": height},
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
    ]


OCR: Json = {
    "accepts": ["document"],
    "documents": ["pdf", "image"],
    "parameters": [MIN_CONFIDENCE],
    "steps": [
        {"name": "orient", "kind": "model", "role": ORIENT, "inputs": {"page": "input"}},
        {
            "name": "upright",
            "kind": "preprocess",
            "operation": "upright_page",
            "inputs": {
                "page": "input",
                "rotation": "orient.rotation",
                "angle": "orient.angle",
                "sheet": "orient.sheet",
            },
        },
        {
            "name": "read",
            "kind": "model",
            "role": READ,
            "inputs": {"page": "upright"},
            "parameters": {"min_confidence": "parameters.min_confidence"},
        },
        *laid_out(page="upright", lines="read.lines", unread="read.unread", height="read.height"),
    ],
    "output": {
        "text": "layout.text",
        "lines": "layout.lines",
        "blocks": "layout.blocks",
        "width": "read.width",
        "height": "read.height",
        "rotation": "orient.rotation",
        "angle": "orient.angle",
        "sheet": "orient.sheet",
        "quality": "assess.quality",
        "needs_review": "assess.needs_review",
        "warnings": "assess.warnings",
    },
}
