"""What can be wrong with a request about an upload that comes in pieces."""

from tenants.core.errors import DomainError


class TusVersionNotSupported(DomainError):
    code = "tus_version_not_supported"


class OffsetMismatch(DomainError):
    code = "offset_mismatch"


class UploadLocked(DomainError):
    """Another request is sending bytes of it."""

    code = "upload_locked"


class UploadGone(DomainError):
    """It was given up, by its sender or by time."""

    code = "upload_gone"


class UploadTooLong(DomainError):
    code = "upload_too_long"


class ChecksumMismatch(DomainError):
    code = "checksum_mismatch"


class TooManyPieces(DomainError):
    code = "too_many_pieces"


class TooManyUploads(DomainError):
    code = "too_many_uploads"


class DirectUploadsUnavailable(DomainError):
    """Storage is a folder, which nobody but the service can write to."""

    code = "direct_uploads_unavailable"


class OtherWay(DomainError):
    """It is sent through the service, and was taken for one that goes to the storage; or the other way round."""

    code = "upload_sent_otherwise"


class UploadFinished(DomainError):
    code = "upload_finished"


class PartsMissing(DomainError):
    code = "parts_missing"
