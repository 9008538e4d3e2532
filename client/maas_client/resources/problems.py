"""The reason why a page or a job failed."""

from dataclasses import dataclass
from typing import Self

from maas_client.resources.json_values import Json


@dataclass(frozen=True, slots=True)
class Problem:
    """The reason why a page or a job failed. `code` is stable, `detail` is for people."""

    code: str
    detail: str

    @classmethod
    def from_json(cls, body: Json | None) -> Self | None:
        return cls(body["code"], body["detail"]) if body else None
