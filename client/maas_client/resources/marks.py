"""Tick boxes and radio buttons."""

from dataclasses import dataclass
from typing import Self

from maas_client.resources.json_values import Box, Json, box_of


@dataclass(frozen=True, slots=True)
class Mark:
    """A tick box or radio button."""

    label: str
    checked: bool
    box: Box | None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["label"], body["checked"], box_of(body["box"]))
