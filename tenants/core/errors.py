"""Errors of the domain: a stable code and a message for a person, without HTTP."""

from collections.abc import Mapping
from typing import Self
from uuid import UUID


class DomainError(Exception):
    """A refusal. Its message says what was wrong, with what value, and what to do."""

    code = "error"
    gate = ""
    """The name of the gate that refused, if load, an account's limit, money or an outage is the reason: `gates.py`."""

    def __init__(
        self, detail: str, *, code: str = "", gate: str = "", extra: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(detail)
        self.code = code or self.code
        self.gate = gate or self.gate
        self.detail = detail
        self.extra = {**({"gate": self.gate} if self.gate else {}), **(extra or {})}

    def again(self) -> Self:
        """Return the same refusal without its traceback, which each raise lengthens."""
        error = type(self).__new__(type(self), *self.args)
        error.__dict__.update(self.__dict__)
        return error


class NotFound(DomainError):
    """A thing was not found. The message is the same if it never existed or belongs to another tenant."""

    code = "not_found"


class InvalidRequest(DomainError):
    code = "invalid_request"


class UnscopedQuery(RuntimeError):
    """A programming error: a query of tenant data did not name the tenant."""


class InvalidKey(DomainError):
    code = "invalid_api_key"


class KeyEnded(InvalidKey):
    """The error for a valid key that has expired or was revoked. The tenant may be notified of who still uses it."""

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


class ModelNotAllowed(DomainError):
    code = "model_not_allowed"


class IpNotAllowed(DomainError):
    code = "ip_not_allowed"


class MethodNotAllowed(DomainError):
    """The resource exists, but needs another method."""

    code = "method_not_allowed"

    def __init__(self, detail: str, *, allowed: str) -> None:
        super().__init__(detail, extra={"allow": allowed})


class DatabaseUnavailable(DomainError):
    code = "database_unavailable"
    gate = "database"


class TenantSuspended(DomainError):
    code = "tenant_suspended"


class TenantClosing(TenantSuspended):
    """The deletion of the tenant was requested. Nothing is done for it until an owner cancels the deletion."""

    code = "tenant_closing"


class TooManyKeys(DomainError):
    """The account has more working keys than a person can keep track of."""

    code = "too_many_keys"
    gate = "api_keys"


class AccountSwitched(DomainError):
    """The person has switched to another account in another tab since this page was shown."""

    code = "account_switched"


class NotAMember(DomainError):
    """The person no longer belongs to the account. They never act for another one without being notified."""

    code = "not_a_member"
