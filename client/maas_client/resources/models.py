"""A model that the service offers."""

from dataclasses import dataclass, field
from typing import Self

from maas_client.resources.json_values import Json


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    title: str
    description: str
    state: str
    accepts: tuple[str, ...]
    version: int | None
    versions: tuple[int, ...]
    data: Json = field(repr=False)
    """The model as the service sent it: parameters, signature, price."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            name=body["id"],
            title=body["title"],
            description=body["description"],
            state=body["state"],
            accepts=tuple(body["accepts"]),
            version=body["version"],
            versions=tuple(body["versions"]),
            data=body,
        )
