"""The fields in which people write small tensors: a text with one line per row. It makes no queries."""

from collections.abc import Mapping
from dataclasses import dataclass

from inference.core.contracts import Json
from jobs.dashboard.catalog.examples import example_tensors
from jobs.dashboard.catalog.model_view import tensors_of

MAX_FIELDS = 20
MAX_VALUES = 400
MAX_RANK = 2
MAX_LINES = 8


@dataclass(frozen=True)
class TensorField:
    name: str
    datatype: str
    shape: str
    rank: int
    text: str
    """The example."""

    @property
    def lines(self) -> int:
        return max(2, min(self.text.count("\n") + 1, MAX_LINES))


def tensor_fields(signature: Mapping[str, Json]) -> tuple[TensorField, ...]:
    """Return a field for each input, or none if an input is no small table."""
    examples = example_tensors(signature) or []
    shown = {tensor.name: tensor.shape for tensor in tensors_of(signature, "inputs")}
    if len(examples) > MAX_FIELDS or not all(_is_table(example) for example in examples):
        return ()
    return tuple(
        TensorField(example["name"], example["datatype"], shown[example["name"]], len(example["shape"]), _rows(example))
        for example in examples
    )


def _is_table(example: Mapping[str, Json]) -> bool:
    shape = example["shape"]
    columns = shape[1] if len(shape) == MAX_RANK else 1
    # A text may hold what separates values, so it has a line of its own.
    return (
        len(shape) <= MAX_RANK
        and len(example["data"]) <= MAX_VALUES
        and (example["datatype"] != "BYTES" or columns == 1)
    )


def _rows(example: Mapping[str, Json]) -> str:
    shape, values = example["shape"], [_written(value) for value in example["data"]]
    if example["datatype"] == "BYTES":
        return "\n".join(values)
    columns = max(1, shape[-1] if shape else 1)
    return "\n".join(", ".join(values[start : start + columns]) for start in range(0, len(values), columns))


def _written(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
