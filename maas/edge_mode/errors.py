"""Errors that keep edge mode from starting, and errors that its callers receive."""

from maas.process.errors import LaunchError
from tenants.core.errors import DomainError


class CannotServe(LaunchError):
    """An error that the operator must mend before anything is served."""


class UnsupportedMediaType(DomainError):
    code = "unsupported_media_type"


class ModelNotServed(DomainError):
    code = "model_not_found"


class MethodNotAllowed(DomainError):
    code = "method_not_allowed"


class KeyMissing(DomainError):
    code = "not_authenticated"


class KeyWrong(DomainError):
    code = "invalid_api_key"


class OriginNotAllowed(DomainError):
    code = "origin_not_allowed"
