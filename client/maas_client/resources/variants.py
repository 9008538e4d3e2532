"""A variant of a version: a file in another precision or shape, with its measurements and its verdict."""

from dataclasses import dataclass, field
from typing import Self

from maas_client.resources.json_values import Json
from maas_client.resources.model_versions import Refusal


@dataclass(frozen=True, slots=True)
class Variant:
    id: str
    precision: str
    state: str
    """`measuring`, `admitted` or `refused`."""
    refusal: Refusal | None
    data: Json = field(repr=False)
    """The variant as the service sent it: lineage, measurements, errors on the golden set."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            id=str(body["id"]),
            precision=body["precision"],
            state=body["state"],
            refusal=Refusal.from_json(body.get("refused")),
            data=body,
        )
