"""Who is calling: what every view, socket and limit needs to know of the caller, and no more."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from tenants.errors import NotPermitted
from tenants.limits import EffectiveLimits

Scope = Literal["documents:read", "documents:write", "jobs:read", "jobs:write", "models:read", "events:read"]
SCOPES: tuple[Scope, ...] = (
    "documents:read",
    "documents:write",
    "jobs:read",
    "jobs:write",
    "models:read",
    "events:read",
)


@dataclass(frozen=True)
class Identity:
    """An authenticated caller acting for one tenant."""

    tenant_id: UUID
    limits: EffectiveLimits
    scopes: frozenset[str]
    livemode: bool = True
    key_id: UUID | None = None
    user_id: UUID | None = None

    # Django REST framework asks these of whatever stands in `request.user`.
    is_authenticated = True
    is_active = True

    def require(self, scope: Scope) -> None:
        if scope not in self.scopes:
            raise NotPermitted(
                f"This key lacks the scope {scope!r}; it has {sorted(self.scopes)}. Use a key with that scope."
            )


def all_scopes() -> frozenset[str]:
    return frozenset(SCOPES)


def checked_scopes(scopes: Iterable[str]) -> list[str]:
    wanted = list(dict.fromkeys(scopes))
    unknown = [scope for scope in wanted if scope not in SCOPES]
    if unknown:
        raise ValueError(f"unknown scopes {unknown}; known: {list(SCOPES)}")
    return wanted
