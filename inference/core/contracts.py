"""What a unit of work looks like to a model, and what a model gives back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from inference.core.device_time import charged_ms
from tenants.plans.prices import Meter

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""Corners clockwise from the top left of the text as read, in pixels of the page's picture."""

Pixels = npt.NDArray[np.uint8]
"""Height x width x 3, RGB."""

Json = Any


@dataclass(frozen=True, slots=True)
class TextLine:
    text: str
    box: Quad | None
    confidence: float | None
    """1.0 for text read from the document itself; None where nothing can be said."""


@dataclass(frozen=True, slots=True)
class PageInput:
    """One page of a document."""

    number: int
    width_px: int
    height_px: int
    text_lines: tuple[TextLine, ...] | None
    """The document's own text layer; None when the page has none and must be recognised from its picture."""
    load_pixels: Callable[[], Pixels] | None
    """Decodes the picture when a model needs it; None for plain-text documents."""


@dataclass(frozen=True, slots=True)
class TextInput:
    texts: tuple[str, ...]
    single: bool
    """True when the caller gave one text rather than a list, so that the answer has the same shape."""


@dataclass(frozen=True, slots=True)
class TokenInput:
    """Texts that the caller has split into tokens already, with the model's own tokenizer."""

    rows: tuple[tuple[int, ...], ...]
    """Token ids of each text, with or without the marks that the tokenizer puts around a text."""
    single: bool
    """As of `TextInput`."""


@dataclass(frozen=True, slots=True)
class TensorInput:
    tensors: Mapping[str, npt.NDArray[Any]]


WorkInput = PageInput | TextInput | TokenInput | TensorInput


@dataclass(frozen=True, slots=True)
class Units:
    """What was done, in the units that prices are written in."""

    pages: int = 0
    tokens: int = 0
    calls: int = 1
    device_us: int = 0
    """Its share of the time that its runs took on their device, in microseconds."""

    def counted(self, meter: Meter) -> int:
        """How many of what a price is for."""
        match meter:
            case "page":
                return self.pages
            case "token":
                return self.tokens
            case "call":
                return self.calls
            case "gpu_second":
                return charged_ms(self.device_us)


@dataclass(frozen=True, slots=True)
class Embedding:
    """What a text is about, as a vector of length one, comparable with those of the same model version alone."""

    digest: str
    vector: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class WorkOutput:
    """A model's answer: JSON for the caller, units for the bill."""

    result: Mapping[str, Json]
    """For pages and texts: `text`, `lines` and what else the model gives; for tensors: `outputs`."""
    units: Units = field(default_factory=Units)
    embedding: Embedding | None = None
    """Of a page's whole text, where it was made on the way: kept to search by, whether or not the result shows it."""
    steps: Mapping[str, float] = field(default_factory=dict)
    """Of a pipeline: the seconds that each step took, by its name; those that run side by side overlap."""
    tensors: Mapping[str, npt.NDArray[Any]] | None = None
    """Where they are wanted as they are and not as JSON: a graph's outputs, `result` being empty then; or the vectors
    of texts as `embedding`, a row for each text, or one vector for one text."""
    row_tokens: tuple[int, ...] = ()
    """Of texts: the tokens of each, so that each can be kept by itself."""


@dataclass(frozen=True, slots=True)
class VersionSpec:
    """What a worker must know of a model version to serve it."""

    model: str
    number: int
    digest: str
    runtime: str
    """`ocr`, `embed`, `parse`, `onnx` or `graph`."""
    artifacts: Mapping[str, str]
    """Role (`detection`, `recognition`, `weights`, `tokenizer`, …) to a local file path."""
    config: Mapping[str, Json] = field(default_factory=dict)
    steps: Mapping[str, "VersionSpec"] = field(default_factory=dict)
    """A pipeline's member versions by role; its footprint is their union."""

    @property
    def key(self) -> str:
        return f"{self.model}@{self.number}"


class WorkRefused(Exception):
    """The input cannot be processed by this model; the caller's to mend, never retried."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
