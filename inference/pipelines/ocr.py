"""The built-in pipeline `ocr`: it turns a page upright, reads its lines, orders them, and says how sure it is."""

from inference.core.contracts import Json

ORIENT, READ = "orient", "read"
"""The roles of its members."""

OCR: Json = {
    "accepts": ["document"],
    "documents": ["pdf", "image"],
    "parameters": [
        {
            "name": "min_confidence",
            "type": "number",
            "default": 0.5,
            "minimum": 0,
            "maximum": 1,
            "description": "Recognized lines below this confidence are left out.",
        },
    ],
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
        {
            "name": "layout",
            "kind": "postprocess",
            "operation": "layout",
            "inputs": {"lines": "read.lines", "height": "read.height"},
        },
        {
            "name": "assess",
            "kind": "postprocess",
            "operation": "assess",
            "inputs": {"page": "upright", "lines": "layout.lines", "certainty": "layout.certainty"},
        },
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
