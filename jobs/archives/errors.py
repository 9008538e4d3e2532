"""The errors of an archive as a whole. The error of a single entry is stored in that entry."""

from tenants.core.errors import DomainError


class ArchiveRejected(DomainError):
    """The bytes of the archive are rejected: `archive_corrupt`, `archive_too_many_entries`,
    `archive_too_large_unpacked`, …
    """

    def __init__(self, code: str, detail: str, **extra: object) -> None:
        super().__init__(detail, code=code, extra=extra)


class ArchiveFinished(DomainError):
    code = "archive_finished"


class TooManyArchives(DomainError):
    code = "too_many_archives"
    gate = "open_archives"
