"""What each kind of model accepts: kinds of work, and parameters with their bounds and defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from inference.contracts import Json, PageInput, TextInput, WorkInput, WorkRefused

DOCUMENT, TEXT, TEXTS, TENSORS = "document", "text", "texts", "tensors"


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: str
    """`number` or `boolean`."""
    default: Json
    description: str
    minimum: float | None = None
    maximum: float | None = None

    def accepts(self, value: Json) -> bool:
        if self.type == "boolean":
            return isinstance(value, bool)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        # Written so that NaN, which compares false with everything, is refused.
        return (self.minimum is None or value >= self.minimum) and (
            self.maximum is None or value <= self.maximum
        )

    @property
    def expected(self) -> str:
        if self.type == "number" and self.minimum is not None and self.maximum is not None:
            return f"a number from {self.minimum:g} to {self.maximum:g}"
        return f"a {self.type}"


@dataclass(frozen=True, slots=True)
class Interface:
    """What callers may give to every model of one runtime."""

    accepts: tuple[str, ...]
    parameters: tuple[Parameter, ...] = ()


MIN_CONFIDENCE = Parameter(
    "min_confidence", "number", 0.5, "Recognised lines below this confidence are left out.", 0.0, 1.0
)
INCLUDE_EMBEDDING = Parameter(
    "include_embedding", "boolean", True, "Whether the answer carries the embedding of the page's text."
)

INTERFACES: Mapping[str, Interface] = MappingProxyType(
    {
        "ocr": Interface((DOCUMENT,), (MIN_CONFIDENCE,)),
        "embed": Interface((DOCUMENT, TEXT, TEXTS)),
        "parse": Interface((DOCUMENT, TEXT), (MIN_CONFIDENCE, INCLUDE_EMBEDDING)),
        "onnx": Interface((TENSORS,)),
    }
)


def interface_of(runtime: str) -> Interface:
    try:
        return INTERFACES[runtime]
    except KeyError:
        known = ", ".join(sorted(INTERFACES))
        raise WorkRefused("runtime_unknown", f"no runtime is called '{runtime}'; there are {known}") from None


def validate_parameters(runtime: str, parameters: Mapping[str, Json]) -> Mapping[str, Json]:
    """The parameters with defaults filled in; refuses unknown names and values out of bounds."""
    known = {parameter.name: parameter for parameter in interface_of(runtime).parameters}
    for name, value in parameters.items():
        if name not in known:
            allowed = ", ".join(f"'{other}'" for other in known) or "none"
            raise WorkRefused("invalid_parameter", f"unknown parameter '{name}'; allowed: {allowed}")
        if not known[name].accepts(value):
            raise WorkRefused(
                "invalid_parameter", f"'{name}' must be {known[name].expected}, not {value!r:.100}"
            )
    return {name: parameters.get(name, parameter.default) for name, parameter in known.items()}


def validate_work_kind(runtime: str, kind: str) -> None:
    accepts = interface_of(runtime).accepts
    if kind not in accepts:
        raise WorkRefused("input_not_accepted", f"this model accepts {' or '.join(accepts)}, not {kind}")


def work_kind(work: WorkInput) -> str:
    if isinstance(work, PageInput):
        return DOCUMENT
    if isinstance(work, TextInput):
        return TEXT if work.single else TEXTS
    return TENSORS
