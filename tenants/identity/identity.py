"""Who is calling: what every view, socket and limit needs to know of the caller, and no more."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, Protocol
from uuid import UUID

from tenants.core.errors import KeyNotForAddress, KeyNotForModel, LiveKeyNeeded, NotPermitted, TenantClosing
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
"""What a key may do unless its maker chooses."""

KEY_SCOPES: tuple[Scope, ...] = (*SCOPES, "usage:read", "audit:read", "billing:read", "billing:write")
"""All that a key may be given: only by whoever may do it too."""

MEMBER_SCOPES: tuple[Scope, ...] = (
    *KEY_SCOPES,
    "keys:read",
    "keys:write",
    "log:read",
    "members:read",
    "members:write",
    "account:write",
)
"""What people may be let do beside what keys may: no key can make another key."""

_DEEDS: Mapping[Scope, str] = {
    "documents:read": "see its documents",
    "documents:write": "add, change or delete documents",
    "jobs:read": "see its jobs",
    "jobs:write": "have documents read, or change what is under way",
    "models:read": "see its models",
    "events:read": "follow its jobs live",
    "webhooks:read": "see its webhooks",
    "webhooks:write": "say where it is told of its jobs' ends",
    "keys:read": "see its API keys",
    "keys:write": "create, rotate or revoke its API keys",
    "usage:read": "see its usage and costs",
    "log:read": "see its API log",
    "audit:read": "see its audit log",
    "members:read": "see its members",
    "members:write": "invite or change its members",
    "billing:read": "see its balance and invoices",
    "billing:write": "say who is billed, or how it is paid",
    "account:write": "make owners, or change the account itself",
}
"""As people say it; programs are told the scope."""


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
    """The key whose place this one took, or the first of those: they share its budgets."""
    user_id: UUID | None = None
    tenant_name: str = ""
    rates: CallerLimits = UNLIMITED
    prices: AgreedPrices = NONE
    """What it pays where that is not what models cost."""
    models: tuple[str, ...] = ()
    """The only ones that its key may have run; any where there are none."""
    networks: tuple[str, ...] = ()
    """The only ones that its key may come from; any where there are none."""
    bounded: bool = True
    """Whether a balance or a budget may end what it spends: of whoever has neither, nobody looks what is left."""

    closes_at: datetime | None = None
    """When everything of the tenant is erased: until then its members may look, and no more."""

    # Django REST framework asks these of whatever stands in `request.user`.
    is_authenticated = True
    is_active = True

    @property
    def mode(self) -> bool | None:
        """The `livemode` of all that exists for it. None for people, who see both, each with its mark."""
        return None if self.user_id is not None and self.key_id is None else self.livemode

    def acting_on(self, thing: "HasMode") -> "Identity":
        """What comes of a live thing is live, and what comes of a test's is a test, whoever asks for it."""
        return self if self.livemode == thing.livemode else replace(self, livemode=thing.livemode)

    @property
    def budget_key_id(self) -> UUID | None:
        """Whose budgets bound what it spends."""
        return self.budgets_of or self.key_id

    def require_livemode(self) -> None:
        """For what is of the account as a whole, or of its money."""
        if not self.livemode:
            raise LiveKeyNeeded(
                "This is a test key, and what it asks for is for live keys alone. Send a live key."
            )

    def require(self, scope: Scope) -> None:
        if scope not in self.scopes:
            if self.closes_at is not None and not scope.endswith(":read"):
                raise TenantClosing(closing_words(self.closes_at), extra=closing_extra(self.closes_at))
            raise NotPermitted(
                f"This key lacks the scope {scope!r}; it has {', '.join(sorted(self.scopes)) or 'none'}. Use a key "
                "with that scope."
                if self.key_id
                else f"Your role in this account does not let you {_DEEDS[scope]}. An owner can give you another role."
            )

    def require_model(self, name: str) -> None:
        """Its name, without a version."""
        if self.models and name not in self.models:
            raise KeyNotForModel(
                f"This key may not run {name[:100]!r}; it may run {', '.join(self.models)}. Use another key, or "
                "let this one run it, on the page of API keys."
            )

    def require_place(self, address: str) -> None:
        """Where it comes from, as the outermost of our proxies saw it."""
        if not may_come_from(self.networks, address):
            raise KeyNotForAddress(
                f"This key may not be used from {address}. Use it from one of its networks, or add this one on the "
                "page of API keys."
            )

    def require_all(self, scopes: Iterable[str]) -> None:
        """Nobody gets hold of a key that may do what they may not themselves."""
        beyond = sorted(set(scopes) - self.scopes)
        if beyond:
            raise NotPermitted(
                f"This key may do what your role does not let you: {', '.join(beyond)}. An owner can do this."
            )


def closing_words(closes_at: datetime) -> str:
    return (
        f"This account is being deleted: everything of it is erased from {closes_at:%Y-%m-%d %H:%M} UTC on. Until then "
        "an owner can take that back on the dashboard."
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
