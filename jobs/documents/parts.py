"""Files that their senders upload directly to the storage, in parts, if the storage supports this."""

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
    """The storage's own tag for exactly these bytes."""


class PartStore(Protocol):
    """A storage that takes files in parts. All methods but `url` call the storage, and fail with an OSError."""

    def begin(self, name: str) -> str:
        """Begin a file in parts. Return the id that the storage uses for its parts until they are joined."""

    def url(self, name: str, parts_id: str, number: int, size_bytes: int, *, lives_s: int) -> str:
        """Return a URL for a PUT of exactly `size_bytes` bytes."""

    def stored(self, name: str, parts_id: str) -> Sequence[StoredPart] | None:
        """Return the stored parts, or None if there are no such parts because they were joined or aborted."""

    def join(self, name: str, parts_id: str, parts: Sequence[StoredPart]) -> None: ...

    def abort(self, name: str) -> None:
        """Abort all uploads that were begun under that name and not joined. It is no error if there are none."""

    def size(self, name: str) -> int | None:
        """Return the size of the file, or None if there is no such file."""

    def blocks(self, name: str) -> Iterator[bytes]: ...


def part_store() -> PartStore | None:
    """Return the store for parts, or None if the storage is a folder."""
    return cast("PartStore | None", getattr(storages["default"], "parts", None))


def direct_name(tenant_id: UUID, upload_id: UUID) -> str:
    return f"tenants/{tenant_id}/uploads/{upload_id}{_LAST}"


def came_in_parts(name: str) -> bool:
    return name.endswith(_LAST)
