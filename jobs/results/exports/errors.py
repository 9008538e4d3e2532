"""Errors for a job that cannot be exported as requested."""

from tenants.core.errors import DomainError


class ExportTooLarge(DomainError):
    code = "export_too_large"


class NoPagePictures(DomainError):
    code = "no_page_pictures"


class TooManyExports(DomainError):
    """One tenant has too many exports. The limit of all tenants together is `Overloaded`."""

    code = "rate_limited"
