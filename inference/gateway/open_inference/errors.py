"""Define what can be wrong with a request before a model is run."""

from tenants.core.errors import DomainError


class InvalidRequest(DomainError):
    """A request that is malformed, or asks for a part of the protocol that this server does not have."""

    code = "invalid_request"
