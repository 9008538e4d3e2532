"""The lines of a page, and the blocks that they form."""

from dataclasses import dataclass
from typing import Self

from maas_client.resources.json_values import Box, Json, box_of


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    box: Box | None
    """The place on the picture. It is None if no picture was read."""
    confidence: float | None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["text"], box_of(body["box"]), body["confidence"])


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together, such as a paragraph."""

    type: str
    """The kind of block, such as "heading", "paragraph", "list_item" or "table"."""
    level: int | None
    """The level of a heading on its page, from 1, the highest."""
    box: Box | None
    lines: tuple[int, ...]
    """Positions in the lines of the page, from 0."""
    table: int | None = None
    """The position of a table in the tables of the page, from 0."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["type"], body.get("level"), box_of(body["box"]), tuple(body["lines"]), body.get("table"))
