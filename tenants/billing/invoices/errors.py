"""Why something cannot be billed, or not in that way."""

from tenants.errors import DomainError


class NotBillable(DomainError):
    code = "not_billable"
