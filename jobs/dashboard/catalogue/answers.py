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


_TEXT = Answer("text", "all that was read, line by line")
_LINES = Answer("lines", "each line with its text, its four corners on the page and how sure the model is")
_SIZE = Answer("width, height", "of the page's picture, in pixels")

_KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "ocr": Kind("Text and lines with boxes", (_TEXT, _LINES, _SIZE)),
        "embed": Kind(
            "Vectors",
            (
                Answer("embedding", "of one text or page: a vector of length one"),
                Answer("embeddings", "of several texts: one vector for each, in their order"),
                Answer("dimensions", "how many numbers a vector has"),
                Answer("tokens", "how many tokens were read, and are charged"),
                Answer("truncated", "whether text was too long and cut; of several texts, which"),
            ),
        ),
        "parse": Kind(
            "Text, lines and the kind of document",
            (
                _TEXT,
                _LINES,
                _SIZE,
                Answer("source", "where the text is from: text_layer, ocr or text"),
                Answer("class", "the kind of document, how sure the model is, and every kind's score"),
                Answer("embedding", "a vector of the page's text; not on blank pages"),
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
    return Kind(", ".join(answer.key for answer in names) or "Said by its signature alone", names)


def shown_key(runtime: str, input_kind: str) -> str:
    """Return the key of the result that a program needs."""
    if runtime == "embed":
        return "embeddings" if input_kind == "texts" else "embedding"
    return "outputs" if input_kind == "tensors" else "text"
