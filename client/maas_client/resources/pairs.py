"""Values with their names, such as filled-in form fields."""

from dataclasses import dataclass
from typing import Self

from maas_client.resources.json_values import Box, Json, box_of


@dataclass(frozen=True, slots=True)
class Pair:
    """A value with its name, such as a filled-in form field."""

    key: str
    value: str
    key_box: Box | None
    """The place of the name. It is None if the name is not printed."""
    value_box: Box | None
    confidence: float

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["key"], body["value"], box_of(body["key_box"]), box_of(body["value_box"]), body["confidence"])
