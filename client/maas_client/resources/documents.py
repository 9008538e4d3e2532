"""A document that was uploaded."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from maas_client.resources.json_values import Json


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    name: str
    kind: str
    content_type: str
    size_bytes: int
    sha256: str
    pages_total: int
    created_at: datetime
    duplicate: bool = False
    """Say whether the same bytes were already there before this upload."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            id=body["id"],
            name=body["name"],
            kind=body["kind"],
            content_type=body["content_type"],
            size_bytes=body["size_bytes"],
            sha256=body["sha256"],
            pages_total=body["pages_total"],
            created_at=datetime.fromisoformat(body["created_at"]),
            duplicate=body.get("duplicate", False),
        )
