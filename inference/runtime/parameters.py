"""The input that each kind of model accepts: kinds of work, and parameters with their bounds and defaults."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inference.core.contracts import Json, PageInput, TextInput, TokenInput, WorkInput, WorkRefused
from tenants.core.messages import value_in_words

PDF, IMAGE, PLAIN_TEXT, DOCX, XLSX, PPTX, HTML, EML = EVERY_KIND = (
    "pdf",
    "image",
    "text",
    "docx",
    "xlsx",
    "pptx",
    "html",
    "eml",
)
_PLURAL = {
    PDF: "PDF files",
    IMAGE: "images",
    PLAIN_TEXT: "plain text",
    DOCX: "Word documents",
    XLSX: "Excel workbooks",
    PPTX: "PowerPoint presentations",
    HTML: "web pages",
    EML: "emails",
}
_SINGULAR = {
    PDF: "a PDF file",
    IMAGE: "an image",
    PLAIN_TEXT: "plain text",
    DOCX: "a Word document",
    XLSX: "an Excel workbook",
    PPTX: "a PowerPoint presentation",
    HTML: "a web page",
    EML: "an email",
}


def kinds_in_words(kinds: Sequence[str]) -> str:
    """Return a text such as `PDF files and images`."""
    named = [_PLURAL[kind] for kind in kinds]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def mismatch(model: str, readable: Sequence[str], kind: str) -> str:
    """Return a sentence that says why a document of this kind does not fit."""
    return f"The model {model!r} reads {kinds_in_words(readable)}, but this document is {_SINGULAR[kind]}."


DOCUMENT, TEXT, TEXTS, TENSORS = "document", "text", "texts", "tensors"


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: str
    """The type: `number` or `boolean`."""
    default: Json
    description: str
    minimum: float | None = None
    maximum: float | None = None

    def accepts(self, value: Json) -> bool:
        if self.type == "boolean":
            return isinstance(value, bool)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        # The condition is written so that NaN, which compares false with everything, is refused.
        return (self.minimum is None or value >= self.minimum) and (self.maximum is None or value <= self.maximum)

    @property
    def expected(self) -> str:
        if self.type == "number" and self.minimum is not None and self.maximum is not None:
            return f"a number from {self.minimum:g} to {self.maximum:g}"
        return f"a {self.type}"


@dataclass(frozen=True, slots=True)
class Interface:
    """The input that callers may give to every model of a runtime."""

    accepts: tuple[str, ...]
    parameters: tuple[Parameter, ...] = ()
    documents: tuple[str, ...] = EVERY_KIND
    """The kinds of document that it reads, if it accepts documents."""


MIN_CONFIDENCE = Parameter(
    "min_confidence", "number", 0.5, "Recognized lines below this confidence are left out.", 0.0, 1.0
)
TRUNCATE = Parameter(
    "truncate",
    "boolean",
    True,
    "Whether a text that is too long for the model is truncated, as the result then reports. Otherwise it is refused.",
)

INTERFACES: Mapping[str, Interface] = {
    "ocr": Interface((DOCUMENT,), (MIN_CONFIDENCE,), (PDF, IMAGE)),
    "embed": Interface((DOCUMENT, TEXT, TEXTS), (TRUNCATE,), tuple(kind for kind in EVERY_KIND if kind != IMAGE)),
    "orient": Interface((DOCUMENT,), documents=(PDF, IMAGE)),
    "onnx": Interface((TENSORS,)),
}


GRAPH = "graph"
EMBED = "embed"
"""The runtime of declared pipelines. Each pipeline declares in its own settings what it accepts."""
MAX_PARAMETERS = 20
NOTHING: Mapping[str, Json] = {}


def interface_of(runtime: str, config: Mapping[str, Json] = NOTHING) -> Interface:
    """Return a version's interface, which depends on its runtime or, for a declared pipeline, on its `config`."""
    if runtime == GRAPH and "graph" in config:
        declared = config["graph"]
        return Interface(
            tuple(declared["accepts"]),
            read_parameters(declared.get("parameters", [])),
            tuple(declared.get("documents", EVERY_KIND)),
        )
    try:
        return INTERFACES[runtime]
    except KeyError:
        names = ", ".join(sorted((*INTERFACES, GRAPH)))
        raise WorkRefused("runtime_unknown", f"unknown runtime '{runtime}'; use one of {names}") from None


def documents_of(runtime: str, config: Mapping[str, Json] = NOTHING) -> tuple[str, ...]:
    """Return the kinds of document that a version reads, none or, for a runtime of a newer product, all."""
    if runtime not in INTERFACES and (runtime != GRAPH or "graph" not in config):
        return EVERY_KIND
    interface = interface_of(runtime, config)
    return interface.documents if DOCUMENT in interface.accepts else ()


def read_parameters(declared: Json) -> tuple[Parameter, ...]:
    """Read parameters as a pipeline declares them, or raise ValueError that says which one is wrong."""
    if not isinstance(declared, list) or len(declared) > MAX_PARAMETERS:
        raise ValueError(f"`parameters` must be a list of at most {MAX_PARAMETERS}")
    read = tuple(_read_parameter(item) for item in declared)
    if len({parameter.name for parameter in read}) != len(read):
        raise ValueError("two parameters have the same name")
    return read


def _read_parameter(declared: Json) -> Parameter:
    match declared:
        case {"name": str(name), "type": "number" | "boolean" as kind, "default": default, **rest}:
            bounds: list[Json] = [rest.pop(bound, None) for bound in ("minimum", "maximum")]
            description = str(rest.pop("description", ""))
            if name.isidentifier() and not rest and all(map(_is_bound, bounds)):
                read = Parameter(name, kind, default, description, *bounds)
                if read.accepts(default):
                    return read
    raise ValueError(
        f"{str(declared)[:80]} is not a parameter: it needs name, type (number or boolean) and a default that is "
        "within minimum and maximum, where it has them; description may be added"
    )


def _is_bound(value: Json) -> bool:
    return value is None or (type(value) in (int, float) and math.isfinite(value))


def validate_parameters(
    runtime: str, parameters: Mapping[str, Json], config: Mapping[str, Json] = NOTHING
) -> Mapping[str, Json]:
    """Return the parameters with defaults filled in. Refuse unknown names and values out of bounds."""
    allowed_parameters = {parameter.name: parameter for parameter in interface_of(runtime, config).parameters}
    for name, value in parameters.items():
        if name not in allowed_parameters:
            allowed = ", ".join(f"'{other}'" for other in allowed_parameters) or "none"
            raise WorkRefused("invalid_parameter", f"unknown parameter '{name}'; allowed: {allowed}")
        if not allowed_parameters[name].accepts(value):
            raise WorkRefused(
                "invalid_parameter",
                f"'{name}' must be {allowed_parameters[name].expected}, not {value_in_words(value)}",
            )
    return {name: parameters.get(name, parameter.default) for name, parameter in allowed_parameters.items()}


def validate_work_kind(runtime: str, kind: str, config: Mapping[str, Json] = NOTHING) -> None:
    accepts = interface_of(runtime, config).accepts
    if kind not in accepts:
        raise WorkRefused("input_not_accepted", f"this model accepts {' or '.join(accepts)}, not {kind}")


def work_kind(work: WorkInput) -> str:
    if isinstance(work, PageInput):
        return DOCUMENT
    if isinstance(work, TextInput | TokenInput):
        return TEXT if work.single else TEXTS
    return TENSORS
