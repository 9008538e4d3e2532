"""Texts about what models of each kind return. This module makes no queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from inference.core.contracts import Json


@dataclass(frozen=True)
class Answer:
    """One key of a page's result."""

    key: str
    meaning: str


@dataclass(frozen=True)
class Kind:
    summary: str
    answers: tuple[Answer, ...]


_TEXT = Answer("text", "the recognized text, line by line")
_LINES = Answer("lines", "each line with its text, its four corners on the page and its confidence")
_SIZE = Answer("width, height", "of the page image, in pixels")

_KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "ocr": Kind("Text and lines with boxes", (_TEXT, _LINES, _SIZE)),
        "embed": Kind(
            "Vectors",
            (
                Answer("embedding", "of a text or page: a vector of length 1"),
                Answer("embeddings", "of several texts: a vector for each, in the same order"),
                Answer("dimensions", "the number of values in a vector"),
                Answer("tokens", "the number of tokens that were read and are charged"),
                Answer(
                    "truncated", "whether the text was too long and was cut; for several texts, which texts"
                ),
            ),
        ),
        "parse": Kind(
            "Text, lines and document type",
            (
                _TEXT,
                _LINES,
                _SIZE,
                Answer("source", "the origin of the text: text_layer, ocr or text"),
                Answer("class", "the document type, its confidence, and the score of every type"),
                Answer("embedding", "a vector of the page's text; not for blank pages"),
            ),
        ),
        "onnx": Kind("Tensors", (Answer("outputs", "each with name, shape, datatype and data, row by row"),)),
    }
)


def kind_of(runtime: str, signature: Mapping[str, Json]) -> Kind:
    """Return the kind of a runtime. The kind of an unknown runtime is taken from the signature."""
    if runtime in _KINDS:
        return _KINDS[runtime]
    names = tuple(Answer(str(one["name"]), str(one["datatype"])) for one in signature.get("outputs", ()))
    return Kind(", ".join(answer.key for answer in names) or "See the signature", names)


def shown_key(runtime: str, input_kind: str) -> str:
    """Return the key of the result that a program needs."""
    if runtime == "embed":
        return "embeddings" if input_kind == "texts" else "embedding"
    return "outputs" if input_kind == "tensors" else "text"
