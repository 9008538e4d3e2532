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


class ChecksumMismatch(DomainError):
    code = "checksum_mismatch"


class TooManyPieces(DomainError):
    code = "too_many_pieces"


class TooManyUploads(DomainError):
    code = "too_many_uploads"
    gate = "open_uploads"


class DirectUploadsUnavailable(DomainError):
    """The refusal because the storage is a folder, and only the service can write to it."""

    code = "direct_uploads_unavailable"


class OtherWay(DomainError):
    """The refusal of a direct request for an upload that goes through the service, or the other way round."""

    code = "upload_method_differs"


class UploadFinished(DomainError):
    code = "upload_finished"


class PartsMissing(DomainError):
    code = "parts_missing"
