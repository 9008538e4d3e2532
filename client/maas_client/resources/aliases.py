"""An alias of a model, and the moves of its history."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Self

from maas_client.resources.json_values import Json, time_of


@dataclass(frozen=True, slots=True)
class Alias:
    alias: str
    version: int | None
    """The number of the version that answers. In a history, it is None where the alias was deleted."""
    previous: int | None
    """The number of the version that answered before."""
    moved_at: datetime | None
    moved_by: str | None
    reason: str
    data: Json = field(repr=False)

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            alias=body["alias"],
            version=body["version"],
            previous=body.get("previous"),
            moved_at=time_of(body.get("moved_at")),
            moved_by=body.get("moved_by"),
            reason=body.get("reason") or "",
            data=body,
        )
