"""Why an account cannot be deleted, or kept."""

from tenants.core.errors import DomainError


class NameNotTyped(DomainError):
    """Whoever deletes an account says which."""

    code = "name_not_typed"


class NotClosing(DomainError):
    """Nobody asked for its deletion, or it has begun."""

    code = "tenant_not_closing"
