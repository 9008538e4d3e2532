"""The reasons why a person should look at a page."""

from dataclasses import dataclass
from typing import Self

from maas_client.resources.json_values import Box, Json, box_of


@dataclass(frozen=True, slots=True)
class PageWarning:
    """A reason why a person should look at the page. `code` is stable, `message` is for people."""

    code: str
    message: str
    box: Box | None
    """The place on the page. None if it is the whole page."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["code"], body["message"], box_of(body.get("box")))
