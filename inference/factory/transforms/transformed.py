"""The result of a transformation: a file, and all that is needed to make it again."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from inference.core.contracts import Json


@dataclass(frozen=True, slots=True)
class Lineage:
    """The origin of a variant."""

    source_digest: str
    """The SHA-256 of the file that was transformed."""
    transformation: str
    parameters: Mapping[str, Json]
    calibration_digest: str | None
    """The SHA-256 of the calibration samples, or None for a transformation that needs none."""
    tools: Mapping[str, str]
    """The versions of the libraries that rewrote the graph."""
    notes: Mapping[str, Json]
    """What the transformation chose or counted by itself, such as the nodes that it left in fp32."""

    def as_json(self) -> dict[str, Json]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Transformed:
    path: Path
    digest: str
    size_bytes: int
    precision: str
    """The precision of the weights: `fp32`, `fp16` or `int8`."""
    lineage: Lineage
