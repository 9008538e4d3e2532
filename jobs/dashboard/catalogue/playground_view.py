"""The playground of a model: its kinds of input with an example each, and its parameters. It needs no queries."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from inference.core.contracts import Json
from inference.registry.models import ServedModel
from jobs.dashboard.base.wording import run_cost
from jobs.dashboard.catalogue import examples
from jobs.dashboard.catalogue.model_view import current_of
from tenants.plans.agreed import AgreedPrices

_TITLES = {"document": "Document", "text": "One text", "texts": "Several texts", "tensors": "Tensors"}


@dataclass(frozen=True)
class InputKind:
    name: str
    title: str
    cost: str
    example: str


@dataclass(frozen=True)
class ParameterField:
    name: str
    type: str
    default: str
    """The default in the form that the playground and JSON use."""
    meaning: str
    range: str


@dataclass(frozen=True)
class PlaygroundView:
    kinds: tuple[InputKind, ...]
    parameters: tuple[ParameterField, ...]


def playground_view(served: ServedModel, prices: AgreedPrices) -> PlaygroundView:
    signature = current_of(served).signature
    price = prices.of_model(served.name, served.price, served.cached_price).price
    kinds = tuple(
        InputKind(kind, _TITLES[kind], run_cost(price, kind), _example(kind, signature))
        for kind in input_kinds(served.accepts)
    )
    return PlaygroundView(kinds, tuple(_field(parameter) for parameter in served.parameters))


def input_kinds(accepts: list[str]) -> list[str]:
    """Return the kinds of input, the first to begin with: texts for models that take several, else pages."""
    known = [kind for kind in accepts if kind in _TITLES] or ["tensors"]
    return sorted(known, key=lambda kind: kind == "document") if "texts" in known else known


def _example(kind: str, signature: Mapping[str, Json]) -> str:
    match kind:
        case "text":
            return examples.TEXT
        case "texts":
            return "\n".join(examples.TEXTS)
        case "tensors":
            return _tensors_text(examples.example_tensors(signature))
    return ""


def _tensors_text(tensors: list[dict[str, Json]] | None) -> str:
    """Return tensors as JSON with a text line for each field, so that long data does not hide what follows it."""
    if tensors is None:
        return ""
    written = (
        ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in tensor.items())
        for tensor in tensors
    )
    return "[\n" + ",\n".join(f"  {{\n{fields}\n  }}" for fields in written) + "\n]"


def _field(parameter: Mapping[str, Json]) -> ParameterField:
    return ParameterField(
        name=str(parameter["name"]),
        type=str(parameter["type"]),
        default=json.dumps(parameter["default"]),
        meaning=str(parameter["description"]),
        range=_range(parameter.get("minimum"), parameter.get("maximum")),
    )


def _range(minimum: float | None, maximum: float | None) -> str:
    if minimum is not None and maximum is not None:
        return f"{minimum:g} to {maximum:g}"
    if minimum is not None:
        return f"at least {minimum:g}"
    return f"at most {maximum:g}" if maximum is not None else ""
