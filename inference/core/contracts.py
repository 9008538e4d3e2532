"""The input that a model gets for a unit of work, and the output that it returns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from inference.core.device_time import charged_ms
from tenants.plans.prices import Meter

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""The corners in clockwise order from the top left of the text as read, in pixels of the page's image."""

Box = tuple[float, float, float, float]
"""The left, top, right and bottom of an upright rectangle, in pixels of the page's image."""

Pixels = npt.NDArray[np.uint8]
"""An RGB image of height x width x 3."""

Json = Any


@dataclass(frozen=True, slots=True)
class TextLine:
    text: str
    box: Quad | None
    confidence: float | None
    """The confidence: 1.0 for text read from the document itself, None if it is unknown."""
    words: tuple[tuple[float, float], ...] = ()
    """The start and end of each word of the text, as shares of the length of the box. It is empty if not known."""


ITEM_TYPES = frozenset(
    {
        "heading",
        "paragraph",
        "list_item",
        "table",
        "caption",
        "footnote",
        "header",
        "footer",
        "page_number",
        "side_note",
    }
)


@dataclass(frozen=True, slots=True)
class ItemCell:
    row: int
    column: int
    text: str
    row_span: int = 1
    column_span: int = 1
    header: bool = False


@dataclass(frozen=True, slots=True)
class PageItem:
    """A part of a page as the document itself says it, such as a heading or a table."""

    type: str
    text: str
    """The text of one or more lines. It is empty for a table, whose text is in its cells."""
    level: int | None = None
    """The level of a heading, from 1."""
    rows: int = 0
    columns: int = 0
    header_rows: int = 0
    cells: tuple[ItemCell, ...] = ()
    """The cells of a table by rows, then by columns. They do not overlap."""

    @property
    def lines(self) -> list[str]:
        """Return the lines of the text. Each row of a table is a line, with its cells parted by tabs."""
        if self.type != "table":
            return self.text.split("\n")
        rows: dict[int, list[str]] = {}
        for cell in self.cells:
            rows.setdefault(cell.row, []).append(" ".join(cell.text.split()))
        return [line for texts in rows.values() if (line := "\t".join(filter(None, texts)))]


@dataclass(frozen=True, slots=True)
class Code:
    """A barcode, QR code or other code for machines."""

    symbology: str
    """The kind, such as `qr`, `code128` or `data_matrix`."""
    text: str
    """The content. It is empty if the content is not text."""
    box: Quad
    base64: str = ""
    """The content in Base64 if it is not text."""


@dataclass(frozen=True, slots=True)
class TickBox:
    """A tick box or radio button that the document itself describes, drawn or as a form field."""

    checked: bool
    box: Quad
    label: str = ""
    """The label of the form field. It is empty if only the text beside the box says what it is."""
    name: str = ""
    """The name of the form field, for a box without label or text beside it."""


@dataclass(frozen=True, slots=True)
class FormValue:
    """The content of a form field that is no tick box."""

    key: str
    value: str
    box: Quad


@dataclass(frozen=True, slots=True)
class Findings:
    """The things that were found on a page beside its text when it was opened."""

    codes: tuple[Code, ...] = ()
    tick_boxes: tuple[TickBox, ...] = ()
    form_values: tuple[FormValue, ...] = ()


NO_FINDINGS = Findings()


@dataclass(frozen=True, slots=True)
class PageInput:
    """A page of a document."""

    number: int
    width_px: int
    height_px: int
    text_lines: tuple[TextLine, ...] | None
    """The document's own text layer, or None if the page has none and must be recognized from its image."""
    load_pixels: Callable[[], Pixels] | None
    """The function that decodes the image when a model needs it, or None for plain-text documents."""
    scans: tuple[Box, ...] = ()
    """The parts of a page with text of its own that show more than this text, such as a scanned table."""
    rules: tuple[Box, ...] = ()
    """The level and upright lines that a page with text of its own draws, as thin boxes."""
    items: tuple[PageItem, ...] | None = None
    """The parts of the page in reading order, if the document itself says it. Its text is `text_lines` too."""
    findings: Findings = NO_FINDINGS
    unread_pictures: int = 0
    """The number of pictures beside the items that are large enough to say something, and were not read."""


@dataclass(frozen=True, slots=True)
class TextInput:
    texts: tuple[str, ...]
    single: bool
    """Set if the caller gave a single text instead of a list, so that the answer has the same shape."""


@dataclass(frozen=True, slots=True)
class TokenInput:
    """Texts that the caller has already split into tokens with the model's own tokenizer."""

    rows: tuple[tuple[int, ...], ...]
    """The token ids of each text, with or without the special tokens that the tokenizer puts around a text."""
    single: bool
    """The same as in `TextInput`."""


@dataclass(frozen=True, slots=True)
class TensorInput:
    tensors: Mapping[str, npt.NDArray[Any]]


WorkInput = PageInput | TextInput | TokenInput | TensorInput


@dataclass(frozen=True, slots=True)
class Units:
    """The amount of work done, in the units that prices use."""

    pages: int = 0
    tokens: int = 0
    calls: int = 1
    device_us: int = 0
    """The work's share of the time that its runs took on their device, in microseconds."""

    def counted(self, meter: Meter) -> int:
        """Return the quantity for a meter."""
        match meter:
            case "page":
                return self.pages
            case "token":
                return self.tokens
            case "call":
                return self.calls
            case "gpu_second":
                return charged_ms(self.device_us)
            case "model_hour":
                raise ValueError("an hour in memory is no part of a run")


@dataclass(frozen=True, slots=True)
class Embedding:
    """The meaning of a text as a vector of length 1. It is comparable only with vectors of the same model version."""

    digest: str
    vector: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class WorkOutput:
    """The answer of a model: JSON for the caller and units for the bill."""

    result: Mapping[str, Json]
    """The result: `text`, `lines` and the model's other fields for pages and texts, `outputs` for tensors."""
    units: Units = field(default_factory=Units)
    embedding: Embedding | None = None
    """The embedding of a page's whole text, if one was made. It is stored for search, even if it is not shown."""
    steps: Mapping[str, float] = field(default_factory=dict)
    """The seconds that each step of a pipeline took, by the step's name. Steps that run side by side overlap."""
    tensors: Mapping[str, npt.NDArray[Any]] | None = None
    """The raw arrays for a caller that does not want JSON. They are a graph's outputs, in which case `result` is empty,
    or the vectors of texts as `embedding`: a row for each text, or a single vector for a single text.
    """
    row_tokens: tuple[int, ...] = ()
    """The number of tokens of each text, so that each text can be stored by itself."""
    embedded_by: str = ""
    """The role of the member that embeds the result's text for search once the result is out. It is empty if there is
    none.
    """

    def timed(self, device_us: int) -> "WorkOutput":
        """Return the output with this time in its units."""
        units = Units(self.units.pages, self.units.tokens, self.units.calls, device_us)
        return replace(self, units=units)


@dataclass(frozen=True, slots=True)
class VersionSpec:
    """The data about a model version that a worker needs to serve it."""

    model: str
    number: int
    digest: str
    runtime: str
    """The runtime: `orient`, `ocr`, `embed`, `onnx` or `graph`."""
    artifacts: Mapping[str, str]
    """Local file paths of the artifacts by role (`detection`, `recognition`, `weights`, `tokenizer`, …)."""
    config: Mapping[str, Json] = field(default_factory=dict)
    steps: Mapping[str, "VersionSpec"] = field(default_factory=dict)
    """The member versions of a pipeline by role. The footprint of the pipeline is the union of theirs."""
    isolated: bool = False
    """Set if the model must run in a confined process of its own. Only an `onnx` model can."""
    output_shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The shapes of the outputs of an `onnx` model, which count more than those that its file declares."""

    @property
    def key(self) -> str:
        return f"{self.model}@{self.number}"


class WorkRefused(Exception):
    """The error for an input that this model cannot process. The caller must correct it, and it is never retried."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
