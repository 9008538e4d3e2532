"""An exported file with its description, ready to be pushed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maas_client.exports.verification import Difference


@dataclass(frozen=True)
class Exported:
    path: Path
    labels: Mapping[str, str]
    differences: Sequence[Difference]
    inputs: str
    """A description of the inputs on which it was verified, such as `256 generated rows`."""
    remarks: Sequence[str] = ()
    """The reasons why the verification says little, if there are some."""

    @property
    def lineage(self) -> Mapping[str, Any]:
        differences = {one.output: {"largest": one.largest, "unequal": one.unequal} for one in self.differences}
        return {"exported_from": dict(self.labels), "verified": {"inputs": self.inputs, "differences": differences}}

    def __str__(self) -> str:
        return f"verified on {self.inputs}: {'; '.join(map(str, self.differences))}"
