"""Errors of the domain: a stable code and words for a person, no HTTP."""

from collections.abc import Mapping
from typing import Self
from uuid import UUID


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

    def again(self) -> Self:
        """The same refusal without the traceback that each raise lengthens."""
        error = type(self).__new__(type(self), *self.args)
        error.__dict__.update(self.__dict__)
        return error


class NotFound(DomainError):
    """The same words whether the thing never was or is another tenant's."""

    code = "not_found"


class InvalidRequest(DomainError):
    code = "invalid_request"


class UnscopedQuery(RuntimeError):
    """A programming error: tenant data was asked for without saying whose."""


class InvalidKey(DomainError):
    code = "invalid_api_key"


class KeyEnded(InvalidKey):
    """The key is whole and its secret right, but it works no more: its tenant may be told who still uses it."""

    def __init__(self, detail: str, *, code: str, tenant_id: UUID, key_id: UUID) -> None:
        super().__init__(detail, code=code)
        self.tenant_id = tenant_id
        self.key_id = key_id


class NotSignedIn(DomainError):
    code = "not_authenticated"


class NotPermitted(DomainError):
    code = "insufficient_scope"


class LiveKeyNeeded(DomainError):
    code = "live_key_needed"


class KeyNotForModel(DomainError):
    code = "key_not_for_model"


class KeyNotForAddress(DomainError):
    code = "key_not_for_address"


class MethodNotAllowed(DomainError):
    """There is something here, which is asked for otherwise."""

    code = "method_not_allowed"

    def __init__(self, detail: str, *, allowed: str) -> None:
        super().__init__(detail, extra={"allow": allowed})


class DatabaseAway(DomainError):
    code = "database_unavailable"


class TenantSuspended(DomainError):
    code = "tenant_suspended"


class TenantClosing(TenantSuspended):
    """Its deletion was asked for: nothing is done for it any more, until an owner takes that back."""

    code = "tenant_closing"


class TooManyKeys(DomainError):
    """More working keys than anyone can keep account of."""

    code = "too_many_keys"


class TenantSwitched(DomainError):
    """Another tab has switched to another account since this page was shown."""

    code = "tenant_switched"


class TenantLeft(DomainError):
    """A person acts for an account that they belong to no more: never for another one without being told."""

    code = "tenant_left"
