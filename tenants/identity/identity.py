"""The identity of a caller: everything that views, sockets and limits need to know about it, and no more."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import inf
from typing import Literal, Protocol, get_args
from uuid import UUID

from tenants.core.errors import IpNotAllowed, LiveKeyNeeded, ModelNotAllowed, NotPermitted, TenantClosing
from tenants.core.messages import names_in_words
from tenants.core.times import rfc3339
from tenants.identity.networks import may_come_from
from tenants.limits.effective import EffectiveLimits
from tenants.limits.rates.limits import UNLIMITED, CallerLimits
from tenants.plans.agreed import NONE, AgreedPrices

Scope = Literal[
    "documents:read",
    "documents:write",
    "jobs:read",
    "jobs:write",
    "models:read",
    "models:write",
    "events:read",
    "webhooks:read",
    "webhooks:write",
    "keys:read",
    "keys:write",
    "usage:read",
    "log:read",
    "audit:read",
    "members:read",
    "members:write",
    "billing:read",
    "billing:write",
    "account:write",
]
SCOPES: tuple[Scope, ...] = (
    "documents:read",
    "documents:write",
    "jobs:read",
    "jobs:write",
    "models:read",
    "events:read",
    "webhooks:read",
    "webhooks:write",
)
"""The scopes of a key unless its creator chooses others."""

KEY_SCOPES: tuple[Scope, ...] = (*SCOPES, "models:write", "usage:read", "audit:read", "billing:read", "billing:write")
"""All scopes that a key can have. The creator of the key must have each of them as well."""

MEMBER_SCOPES: tuple[Scope, ...] = get_args(Scope)
"""All scopes that a member can have: those of keys, and more. No key can create another key."""

_DEEDS: Mapping[Scope, str] = {
    "documents:read": "see its documents",
    "documents:write": "add, change or delete documents",
    "jobs:read": "see its jobs",
    "jobs:write": "process documents or change jobs",
    "models:read": "see its models",
    "models:write": "add or change models of its own",
    "events:read": "follow its events",
    "webhooks:read": "see its webhooks",
    "webhooks:write": "change its webhooks",
    "keys:read": "see its API keys",
    "keys:write": "create, rotate or revoke its API keys",
    "usage:read": "see its usage and costs",
    "log:read": "see its API log",
    "audit:read": "see its audit log",
    "members:read": "see its members",
    "members:write": "invite or change members",
    "billing:read": "see its balance and invoices",
    "billing:write": "change billing details or payments",
    "account:write": "appoint owners or change the account",
}
"""The scopes as text for people. Programs get the scope itself."""


class HasMode(Protocol):
    livemode: bool


@dataclass(frozen=True)
class Identity:
    """An authenticated caller acting for one tenant."""

    tenant_id: UUID
    limits: EffectiveLimits
    scopes: frozenset[str]
    livemode: bool = True
    key_id: UUID | None = None
    budgets_of: UUID | None = None
    """The key that this key replaced, or the first key in a chain of replacements. All of them share its budgets."""
    user_id: UUID | None = None
    tenant_name: str = ""
    rates: CallerLimits = UNLIMITED
    prices: AgreedPrices = NONE
    """The prices that this caller pays instead of the models' own prices."""
    models: tuple[str, ...] = ()
    """The only models that its key may run. An empty tuple allows every model."""
    networks: tuple[str, ...] = ()
    """The only networks that its key may be used from. An empty tuple allows every network."""
    bounded: bool = True
    """A flag that is true if a balance or a budget can stop its spending. Otherwise neither is looked up."""

    closes_at: datetime | None = None
    """The time at which all data of the tenant is erased. Its members can only read until then."""
    lasts_s: float = field(default=inf, compare=False)
    """Seconds for which this holds if nobody changes anything. A key expires, and a price or a plan begins."""

    # Django REST framework reads these attributes of the object in `request.user`.
    is_authenticated = True
    is_active = True

    @property
    def mode(self) -> bool | None:
        """Return the `livemode` of all that the caller can see; None for people, who see both, marked."""
        return None if self.user_id is not None and self.key_id is None else self.livemode

    def acting_on(self, thing: "HasMode") -> "Identity":
        """Return the identity with the `livemode` of a thing, as what results from a test is a test."""
        return self if self.livemode == thing.livemode else replace(self, livemode=thing.livemode)

    @property
    def budget_key_id(self) -> UUID | None:
        """Return the key whose budgets limit the spending."""
        return self.budgets_of or self.key_id

    def require_livemode(self) -> None:
        """Require a live key, for the account as a whole and its money. Raises LiveKeyNeeded."""
        if not self.livemode:
            raise LiveKeyNeeded("This is a test key, but this request needs a live key. Use a live key.")

    def require(self, scope: Scope) -> None:
        if scope not in self.scopes:
            if self.closes_at is not None and not scope.endswith(":read"):
                raise TenantClosing(closing_words(self.closes_at), extra=closing_extra(self.closes_at))
            raise NotPermitted(
                f"This key needs the scope {scope!r}, but has {', '.join(sorted(self.scopes)) or 'none'}. Use a key "
                "with that scope."
                if self.key_id
                else f"Your role in this account does not allow you to {_DEEDS[scope]}. Ask an owner for another role."
            )

    def require_model(self, name: str) -> None:
        """Require that the key may run a model. `name` has no version. Raises ModelNotAllowed."""
        if self.models and name not in self.models:
            raise ModelNotAllowed(
                f"This key is restricted to {', '.join(self.models)} and cannot use {name[:100]!r}. Use another key or "
                "change the restriction on the page API keys."
            )

    def require_place(self, address: str) -> None:
        """Require that the key may be used from a client IP, as our proxies saw it. Raises IpNotAllowed."""
        if not may_come_from(self.networks, address):
            raise IpNotAllowed(
                f"This key cannot be used from {address}. Use it from an allowed network, or add this address on the "
                "page API keys."
            )

    def require_all(self, scopes: Iterable[str]) -> None:
        """Require that the caller has all scopes that they give to a key. Raises NotPermitted."""
        beyond = sorted(set(scopes) - self.scopes)
        if beyond:
            raise NotPermitted(f"This key has scopes that your role does not allow: {', '.join(beyond)}. Ask an owner.")


def closing_words(closes_at: datetime) -> str:
    return (
        f"This account will be deleted: its data is erased from {closes_at:%Y-%m-%d %H:%M} UTC on. Until then, "
        "an owner can cancel the deletion on the dashboard."
    )


def closing_extra(closes_at: datetime) -> dict[str, object]:
    return {"closes_at": rfc3339(closes_at)}


def all_scopes() -> frozenset[str]:
    return frozenset(MEMBER_SCOPES)


def checked_scopes(scopes: Iterable[str]) -> list[str]:
    wanted = list(dict.fromkeys(scopes))
    unknown = [scope for scope in wanted if scope not in KEY_SCOPES]
    if unknown:
        raise ValueError(f"unknown scopes {names_in_words(unknown)}; known: {', '.join(KEY_SCOPES)}")
    return wanted
