"""The built-in pipeline `parse`: it reads a page from its own text or its picture, and finds its document class."""

from inference.core.contracts import Json
from inference.pipelines.ocr import MARKS, MIN_CONFIDENCE, found_marks, laid_out

FIELD_CANDIDATES = "field_candidates"
"""The name of what a page says about the fields of its document. It is merged when the document has been read."""

OCR, READ, EMBED = "ocr", "read", "embed"
"""The roles of its members."""

_READ = (
    "text",
    "lines",
    "blocks",
    "tables",
    "width",
    "height",
    "rotation",
    "angle",
    "sheet",
    "quality",
    "needs_review",
    "warnings",
    *MARKS,
)
"""The fields of a reading, which are those of the answer of `ocr`."""


_TYPED: Json = {
    "steps": [
        {"name": "typed", "kind": "preprocess", "operation": "text_page", "inputs": {"text": "input"}},
    ],
    "output": {"page": "typed", "source": {"constant": "text"}},
}

_RECOGNIZED: Json = {
    "steps": [
        {
            "name": "ocr",
            "kind": "model",
            "role": OCR,
            "inputs": {"page": "given.page"},
            "parameters": {"min_confidence": "parameters.min_confidence"},
        },
    ],
    "output": {**{name: f"ocr.{name}" for name in _READ}, "source": {"constant": "ocr"}},
}

_WITH_SCANS: Json = {
    # The page's own text says which way up the page lies, so the scanned parts are read as they are turned with it.
    "steps": [
        {"name": "scans", "kind": "preprocess", "operation": "scanned_parts", "inputs": {"page": "upright"}},
        {
            "name": "others",
            "kind": "model",
            "role": READ,
            "inputs": {"page": "scans"},
            "parameters": {"min_confidence": "parameters.min_confidence"},
        },
        {
            "name": "joined",
            "kind": "postprocess",
            "operation": "join_lines",
            "inputs": {"lines": "upright.lines", "others": "others.lines"},
        },
    ],
    "output": {"lines": "joined", "unread": "others.unread", "source": {"constant": "mixed"}},
}

_OWN_TEXT: Json = {
    "steps": [
        {
            "name": "turn",
            "kind": "preprocess",
            "operation": "turn_of_lines",
            "inputs": {"lines": "given.page.lines"},
        },
        {
            "name": "upright",
            "kind": "preprocess",
            "operation": "upright_page",
            "inputs": {
                "page": "given.page",
                "rotation": "turn.rotation",
                "angle": "turn.angle",
                "sheet": {"constant": None},
            },
        },
        {
            "name": "own",
            "kind": "branch",
            "if": {"value": "upright.has_scans", "is": True},
            "then": _WITH_SCANS,
            "else": {"output": {"lines": "upright.lines", "unread": {"constant": []}, "source": "given.source"}},
        },
        *laid_out(page="upright", lines="own.lines", unread="own.unread", height="upright.height"),
        found_marks(page="upright"),
    ],
    "output": {
        "text": "layout.text",
        "lines": "layout.lines",
        "blocks": "layout.blocks",
        "tables": "tables",
        "width": "upright.width",
        "height": "upright.height",
        "rotation": "turn.rotation",
        "angle": "turn.angle",
        "sheet": {"constant": None},
        "quality": "assess.quality",
        "needs_review": "assess.needs_review",
        "warnings": "warned",
        **{name: f"marks.{name}" for name in MARKS},
        "source": "own.source",
    },
}

_FROM_ITEMS: Json = {
    "steps": [
        {"name": "items", "kind": "postprocess", "operation": "lay_out_items", "inputs": {"page": "given.page"}},
    ],
    "output": {
        **{name: f"items.{name}" for name in ("text", "lines", "blocks", "tables")},
        **{name: {"constant": []} for name in MARKS},
        "width": "given.page.width",
        "height": "given.page.height",
        "rotation": {"constant": 0},
        "angle": {"constant": 0},
        "sheet": {"constant": None},
        # Nothing was recognized, so nothing can have been recognized wrongly. A picture may have been left out.
        "quality": {"constant": 1},
        "needs_review": "items.needs_review",
        "warnings": "items.warnings",
        "source": {"constant": "document"},
    },
}

_OWN: Json = {
    "steps": [
        {
            "name": "kind",
            "kind": "branch",
            "if": {"value": "given.page.has_items", "is": True},
            "then": _FROM_ITEMS,
            "else": _OWN_TEXT,
        },
    ],
    "output": "kind",
}

_NOTHING_TO_EMBED: Json = {"output": {"embedding": {"constant": None}}}

_EMBEDDED: Json = {
    # As a page, since the embedding of a page is that of its whole text.
    "steps": [
        {"name": "whole", "kind": "preprocess", "operation": "text_page", "inputs": {"text": "read.text"}},
        {"name": "embed", "kind": "model", "role": EMBED, "inputs": {"page": "whole"}},
    ],
    "output": {"embedding": "embed.embedding"},
}

_ANSWER: Json = {
    **{name: f"read.{name}" for name in (*_READ, "source")},
    "class": "class",
    FIELD_CANDIDATES: "fields",
}

PARSE: Json = {
    "accepts": ["document", "text"],
    "parameters": [
        MIN_CONFIDENCE,
        {
            "name": "include_embedding",
            "type": "boolean",
            "default": False,
            "description": "Whether the result includes the embedding of the page's text.",
        },
    ],
    "steps": [
        {
            "name": "given",
            "kind": "branch",
            "if": {"input_is": "text"},
            "then": _TYPED,
            "else": {"output": {"page": "input", "source": {"constant": "text_layer"}}},
        },
        {
            "name": "read",
            "kind": "branch",
            "if": {"value": "given.page.has_text", "is": True},
            "then": _OWN,
            "else": _RECOGNIZED,
        },
        {
            "name": "class",
            "kind": "postprocess",
            "operation": "classify_page",
            "inputs": {name: f"read.{name}" for name in ("text", "blocks", "lines", "width", "height")},
        },
        {
            "name": "fields",
            "kind": "postprocess",
            "operation": "fields",
            "inputs": {**{name: f"read.{name}" for name in ("lines", "tables", "width", "height")}, "class": "class"},
        },
        {
            "name": "answer",
            "kind": "branch",
            "if": {"value": "parameters.include_embedding", "is": True},
            "then": {
                "steps": [
                    {
                        "name": "about",
                        "kind": "branch",
                        "if": {"value": "read.text.is_blank", "is": True},
                        "then": _NOTHING_TO_EMBED,
                        "else": _EMBEDDED,
                    },
                ],
                "output": {**_ANSWER, "embedding": "about.embedding"},
            },
            "else": {"output": _ANSWER},
        },
    ],
    "output": "answer",
    "search_by": {"role": EMBED},
}
