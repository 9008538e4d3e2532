"""The built-in pipeline `parse`: it reads a page from its own text or its picture, and finds its document class."""

from functools import cache

from inference.core.contracts import Json, VersionSpec
from inference.pipelines.declaration import read_graph
from inference.pipelines.graph import Graph
from inference.pipelines.operations.classification import (
    MIN_SCORE,
    OTHER,
    PROTOTYPES,
    prototype_labels,
    prototype_sentences,
)

OCR, EMBED = "ocr", "embed"
"""The roles of its members."""

_TYPED: Json = {
    "steps": [
        {"name": "typed", "kind": "preprocess", "operation": "text_page", "inputs": {"text": "input"}},
    ],
    "output": {"page": "typed", "source": {"constant": "text"}},
}

_RECOGNISED: Json = {
    "steps": [
        {
            "name": "ocr",
            "kind": "model",
            "role": OCR,
            "inputs": {"page": "input"},
            "parameters": {"min_confidence": "parameters.min_confidence"},
        },
        {
            "name": "recognized",
            "kind": "postprocess",
            "operation": "page_of_lines",
            "inputs": {"lines": "ocr.lines", "width": "ocr.width", "height": "ocr.height"},
        },
    ],
    "output": {"page": "recognized", "source": {"constant": "ocr"}},
}

_DOCUMENT: Json = {
    "steps": [
        {
            "name": "document",
            "kind": "branch",
            "if": {"value": "input.has_text", "is": True},
            "then": {"output": {"page": "input", "source": {"constant": "text_layer"}}},
            "else": _RECOGNISED,
        },
    ],
    "output": "document",
}

_NOTHING_TO_CLASSIFY: Json = {
    "output": {
        "class": {"constant": {"label": OTHER, "score": 0.0, "scores": dict.fromkeys(PROTOTYPES, 0.0)}},
        "embedding": {"constant": None},
    }
}

_CLASSIFIED: Json = {
    "steps": [
        {"name": "embed", "kind": "model", "role": EMBED, "inputs": {"page": "read.page"}},
        {
            "name": "prototypes",
            "kind": "model",
            "role": EMBED,
            "inputs": {"texts": {"constant": list(prototype_sentences())}},
        },
        {
            "name": "class",
            "kind": "postprocess",
            "operation": "nearest_label",
            "inputs": {"vector": "embed.embedding", "examples": "prototypes.embeddings"},
            "parameters": {
                "labels": list(prototype_labels()),
                "min_score": MIN_SCORE,
                "otherwise": OTHER,
            },
        },
    ],
    "output": {"class": "class", "embedding": "embed.embedding"},
}

_ANSWER: Json = {
    "text": "read.page.text",
    "lines": "read.page.lines",
    "width": "read.page.width",
    "height": "read.page.height",
    "source": "read.source",
    "class": "about.class",
}

PARSE: Json = {
    "accepts": ["document", "text"],
    "parameters": [
        {"name": "min_confidence", "type": "number", "default": 0.5, "minimum": 0, "maximum": 1},
        {"name": "include_embedding", "type": "boolean", "default": True},
    ],
    "steps": [
        {
            "name": "read",
            "kind": "branch",
            "if": {"input_is": "text"},
            "then": _TYPED,
            "else": _DOCUMENT,
        },
        {
            "name": "about",
            "kind": "branch",
            "if": {"value": "read.page.is_blank", "is": True},
            "then": _NOTHING_TO_CLASSIFY,
            "else": _CLASSIFIED,
        },
        {
            "name": "answer",
            "kind": "branch",
            "if": {"value": "parameters.include_embedding", "is": True},
            "then": {"output": {**_ANSWER, "embedding": "about.embedding"}},
            "else": {"output": _ANSWER},
        },
    ],
    "output": "answer",
    "search_by": "about.embedding",
}


@cache
def _graph() -> Graph:
    return read_graph(PARSE)


def parse_graph(spec: VersionSpec) -> Graph:
    """Return the graph, which is the same for every version. The version itself names its members."""
    return _graph()
