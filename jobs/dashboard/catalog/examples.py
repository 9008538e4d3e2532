"""Example input that a model takes as it is, so that its first run needs no thought. This module makes no queries."""

import math
from collections.abc import Mapping

from inference.core.contracts import Json

TEXT = "Invoice 2026-0417\nTotal amount due: 1030.20 EUR\nPlease pay by bank transfer within thirty days."
TEXTS = (
    "The invoice is due on 2 April.",
    "Please pay the bill within thirty days.",
    "The archive is damp and must be dried first.",
)
FILE_NAME = "scan.pdf"
SAMPLE_NAME = "sample-scan.jpg"
MAX_VALUES = 10_000
"""The most values of an example. Nobody writes more by hand, and a browser's text field becomes slow."""


def example_tensors(signature: Mapping[str, Json]) -> list[dict[str, Json]] | None:
    """Return one tensor for each input, with 1 for each free size, or None if they would be too large to read."""
    declared = [
        (str(tensor["name"]), str(tensor["datatype"]), _sizes(tensor["shape"]))
        for tensor in signature.get("inputs", ())
    ]
    if sum(math.prod(shape) for _, _, shape in declared) > MAX_VALUES:
        return None
    return [
        {"name": name, "datatype": datatype, "shape": shape, "data": _values(datatype, math.prod(shape))}
        for name, datatype, shape in declared
    ]


def _sizes(shape: list[int]) -> list[int]:
    return [1 if size < 0 else size for size in shape]


def _values(datatype: str, count: int) -> list[Json]:
    if datatype == "BYTES":
        return ["text"] * count
    if datatype == "BOOL":
        return [True] * count
    if datatype.startswith("FP"):
        return [(position % 10) / 10 for position in range(count)]
    # Integers are often positions in a list, and every list that is not empty has position 0.
    return [0] * count
