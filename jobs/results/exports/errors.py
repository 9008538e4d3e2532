"""Why a job cannot be exported as asked."""

from tenants.core.errors import DomainError


class ExportTooLarge(DomainError):
    code = "export_too_large"


class NoPagePictures(DomainError):
    code = "no_page_pictures"


class TooManyExports(DomainError):
    """Of one tenant; what all together may not exceed is `Overloaded`."""

    code = "rate_limited"
