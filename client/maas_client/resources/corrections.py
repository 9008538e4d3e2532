"""The values that a person corrected."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from maas_client.resources.json_values import Json


@dataclass(frozen=True, slots=True)
class Correction:
    """A line, cell, class or field that a person corrected."""

    kind: str
    """ "line", "cell", "class" or "field"."""
    index: int | None
    """The position of the line in the page, or of the cell in its table. None for a class or field."""
    original: str
    corrected: str
    author: str
    created_at: datetime
    table: int | None = None
    """The position of a cell's table in the page."""
    name: str | None = None
    """The name of a field."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            kind=body["kind"],
            index=body["index"],
            original=body["original"],
            corrected=body["corrected"],
            author=body["author"],
            created_at=datetime.fromisoformat(body["created_at"]),
            table=body.get("table"),
            name=body.get("name"),
        )
