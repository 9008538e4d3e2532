"""What can be wrong with a request before any model is asked."""

from tenants.core.errors import DomainError


class InvalidRequest(DomainError):
    """Malformed, or for something that the protocol knows and this server has not."""

    code = "invalid_request"
