"""The errors of requests about an upload that comes in pieces."""

from tenants.core.errors import DomainError


class TusVersionNotSupported(DomainError):
    code = "tus_version_not_supported"


class OffsetMismatch(DomainError):
    code = "offset_mismatch"


class UploadLocked(DomainError):
    """The refusal because another request is sending bytes of the upload."""

    code = "upload_locked"


class UploadGone(DomainError):
    """The refusal because the upload was abandoned by its sender or has expired."""

    code = "upload_gone"


class UploadTooLong(DomainError):
    code = "upload_too_long"


class UploadIncomplete(DomainError):
    """The refusal to make a model of an upload whose bytes are not all there."""

    code = "upload_incomplete"


class UploadUsed(DomainError):
    """The refusal to make a second model of an upload."""

    code = "upload_used"


class ChecksumMismatch(DomainError):
    code = "checksum_mismatch"


class TooManyChunks(DomainError):
    code = "too_many_chunks"


class TooManyUploads(DomainError):
    code = "too_many_uploads"
    gate = "open_uploads"
