"""What stands around every page: who is signed in, for which tenant, and where one can go from here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from tenants.authentication.impersonation import Impersonation, ImpersonationOver, impersonation_of, seat_of
from tenants.authentication.selectors import MembershipRow
from tenants.core.errors import TenantLeft, TenantSuspended
from tenants.identity.identity import Identity


@dataclass(frozen=True)
class Place:
    title: str
    path: str
    icon: str
    scope: str
    also: tuple[str, ...] = ()
    """What one comes to from there."""

    def is_around(self, path: str) -> bool:
        return any(path == one or path.startswith(f"{one}/") for one in (self.path, *self.also))


PLACES = (
    Place("Documents", "/jobs", "documents", "jobs:read", also=("/archives",)),
    Place("Quickstart", "/quickstart", "play", "models:read"),
    Place("Models", "/models", "models", "models:read"),
    Place("Usage", "/usage", "usage", "usage:read"),
    Place("Batches", "/batches", "batches", "jobs:read"),
    Place("Billing", "/billing", "billing", "billing:read", also=("/budgets",)),
    Place("API keys", "/keys", "keys", "keys:read"),
    Place("Webhooks", "/webhooks", "webhooks", "webhooks:read"),
    Place("API log", "/log", "log", "log:read"),
    Place("Members", "/members", "members", "members:read"),
    Place("Audit log", "/audit", "audit", "audit:read"),
)


IN_BAR = 4
"""Links in the bar at the foot of a phone's page; a button opens the others."""


def first_place(identity: Identity) -> str:
    """Where somebody begins: whoever may see no documents begins elsewhere."""
    return next((place.path for place in PLACES if place.scope in identity.scopes), "/account")


@dataclass(frozen=True)
class Link:
    title: str
    path: str
    icon: str
    here: bool


@dataclass(frozen=True)
class Menu:
    """Links in the order of the sidebar, split for a bar that is too narrow for all of them."""

    first: Sequence[Link]
    rest: Sequence[Link]
    """None where the bar holds all: a button does not take the place of the only link behind it."""

    @property
    def here_in_rest(self) -> bool:
        return any(link.here for link in self.rest)


def menu_of(links: Sequence[Link]) -> Menu:
    first = len(links) if len(links) <= IN_BAR + 1 else IN_BAR
    return Menu(links[:first], links[first:])


@dataclass(frozen=True)
class Shell:
    """Left on the request by `members_only`."""

    identity: Identity
    memberships: Sequence[MembershipRow]
    acting: Impersonation | None = None
    """Where an operator looks at it in a member's place."""

    @property
    def others(self) -> list[MembershipRow]:
        return [row for row in self.memberships if row.tenant_id != self.identity.tenant_id]

    @property
    def role(self) -> str:
        return next(row.role for row in self.memberships if row.tenant_id == self.identity.tenant_id)

    def links(self, path: str) -> list[Link]:
        return [
            Link(place.title, place.path, place.icon, place.is_around(path))
            for place in PLACES
            if place.scope in self.identity.scopes
        ]


def shell_of(request: HttpRequest) -> Shell | None:
    """None for strangers, and for those who belong to no account that is active. Queries the database."""
    if not request.user.is_authenticated or request.user.pk is None:
        return None
    try:
        rows, identity = seat_of(request)
    except (TenantSuspended, TenantLeft, ImpersonationOver):
        return None
    return Shell(identity, rows, impersonation_of(request)) if identity else None


def shell(request: HttpRequest) -> Mapping[str, Any]:
    """Context processor: empty on pages for strangers."""
    known: Shell | None = getattr(request, "shell", None)
    if known is None:
        return {}
    return {"shell": known, "menu": menu_of(known.links(request.path)), "scopes": known.identity.scopes}
