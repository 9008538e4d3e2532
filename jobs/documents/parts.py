"""Files that their senders bring to the storage themselves, in parts, where it can take them so."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, cast
from uuid import UUID

from django.core.files.storage import storages

_LAST = "/direct"


@dataclass(frozen=True)
class StoredPart:
    number: int
    size_bytes: int
    tag: str
    """Of these very bytes, as the storage names it."""


class PartStore(Protocol):
    """All but `url` ask the storage, and fail with an OSError."""

    def begin(self, name: str) -> str:
        """What the storage calls the file's parts until they are joined."""

    def url(self, name: str, parts_id: str, number: int, size_bytes: int, *, lives_s: int) -> str:
        """For a PUT of exactly so many bytes."""

    def stored(self, name: str, parts_id: str) -> Sequence[StoredPart] | None:
        """None where there are no such parts: they were joined, or given up."""

    def join(self, name: str, parts_id: str, parts: Sequence[StoredPart]) -> None: ...

    def abort(self, name: str) -> None:
        """All that were begun under that name and not joined. None left is no error."""

    def size(self, name: str) -> int | None:
        """None where no such file is."""

    def blocks(self, name: str) -> Iterator[bytes]: ...


def part_store() -> PartStore | None:
    """None where storage is a folder."""
    return cast("PartStore | None", getattr(storages["default"], "parts", None))


def direct_name(tenant_id: UUID, upload_id: UUID) -> str:
    return f"tenants/{tenant_id}/uploads/{upload_id}{_LAST}"


def came_in_parts(name: str) -> bool:
    return name.endswith(_LAST)
