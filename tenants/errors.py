"""Errors of the domain: a stable code and words for a person, no HTTP."""

from collections.abc import Mapping


class DomainError(Exception):
    """Every refusal says what was wrong, with what value, and what to do."""

    code = "error"

    def __init__(
        self, detail: str, *, code: str | None = None, extra: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(detail)
        self.code = code or self.code
        self.detail = detail
        self.extra = dict(extra or {})


class UnscopedQuery(RuntimeError):
    """A programming error: tenant data was asked for without saying whose."""


class InvalidKey(DomainError):
    code = "invalid_api_key"


class NotSignedIn(DomainError):
    code = "not_authenticated"


class NotPermitted(DomainError):
    code = "insufficient_scope"


class DatabaseAway(DomainError):
    code = "database_unavailable"


class TenantSuspended(DomainError):
    code = "tenant_suspended"
