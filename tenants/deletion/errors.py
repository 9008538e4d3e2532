"""Reasons why an account cannot be deleted, or kept."""

from tenants.core.errors import DomainError


class NameNotTyped(DomainError):
    """The name of the account was not typed. The person who deletes an account must type it."""

    code = "confirmation_mismatch"


class NotClosing(DomainError):
    """The deletion was not requested, or has begun."""

    code = "tenant_not_closing"
