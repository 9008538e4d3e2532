"""The frame of every page: the signed-in person, the tenant, and the navigation links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from tenants.authentication.impersonation import (
    Impersonation,
    ImpersonationOver,
    impersonation_of,
    memberships_and_identity,
)
from tenants.authentication.selectors import MembershipRow
from tenants.core.errors import NotAMember, TenantSuspended
from tenants.identity.identity import Identity


@dataclass(frozen=True)
class NavEntry:
    title: str
    path: str
    icon: str
    scope: str
    also: tuple[str, ...] = ()
    """The paths that are reached from there."""

    def is_around(self, path: str) -> bool:
        return any(path == prefix or path.startswith(f"{prefix}/") for prefix in (self.path, *self.also))


PLACES = (
    NavEntry("Documents", "/jobs", "documents", "jobs:read", also=("/archives",)),
    NavEntry("Quickstart", "/quickstart", "play", "models:read"),
    NavEntry("Models", "/models", "models", "models:read", also=("/own-models",)),
    NavEntry("Usage", "/usage", "usage", "usage:read"),
    NavEntry("Fields", "/fields", "fields", "jobs:read"),
    NavEntry("Classes", "/classes", "classes", "jobs:read"),
    NavEntry("Batches", "/batches", "batches", "jobs:read"),
    NavEntry("Billing", "/billing", "billing", "billing:read", also=("/budgets",)),
    NavEntry("API keys", "/keys", "keys", "keys:read"),
    NavEntry("Webhooks", "/webhooks", "webhooks", "webhooks:read"),
    NavEntry("API log", "/log", "log", "log:read"),
    NavEntry("Members", "/members", "members", "members:read"),
    NavEntry("Audit log", "/audit", "audit", "audit:read"),
)


IN_BAR = 4
"""The number of links in the bar at the bottom of a page on a phone. A button opens the others."""


def first_place(identity: Identity) -> str:
    """Return the path of the first page. A person who may not see documents begins on another page."""
    return next((page.path for page in PLACES if page.scope in identity.scopes), "/account")


@dataclass(frozen=True)
class Link:
    title: str
    path: str
    icon: str
    here: bool


@dataclass(frozen=True)
class Menu:
    """The links in the order of the sidebar, split for a bar that is too narrow for all of them."""

    first: Sequence[Link]
    rest: Sequence[Link]
    """The links behind the button, or none if the bar holds all links."""

    @property
    def here_in_rest(self) -> bool:
        return any(link.here for link in self.rest)


def menu_of(links: Sequence[Link]) -> Menu:
    first = len(links) if len(links) <= IN_BAR + 1 else IN_BAR
    return Menu(links[:first], links[first:])


@dataclass(frozen=True)
class Shell:
    """The data of the frame. `members_only` puts it on the request."""

    identity: Identity
    memberships: Sequence[MembershipRow]
    acting: Impersonation | None = None
    """The impersonation, if an operator views the page as a member."""

    @property
    def others(self) -> list[MembershipRow]:
        return [row for row in self.memberships if row.tenant_id != self.identity.tenant_id]

    @property
    def role(self) -> str:
        return next(row.role for row in self.memberships if row.tenant_id == self.identity.tenant_id)

    def links(self, path: str) -> list[Link]:
        return [
            Link(page.title, page.path, page.icon, page.is_around(path))
            for page in PLACES
            if page.scope in self.identity.scopes
        ]


def shell_of(request: HttpRequest) -> Shell | None:
    """Return the frame; None for callers without a session or an active account. Queries the database."""
    if not request.user.is_authenticated or request.user.pk is None:
        return None
    try:
        rows, identity = memberships_and_identity(request)
    except (TenantSuspended, NotAMember, ImpersonationOver):
        return None
    return Shell(identity, rows, impersonation_of(request)) if identity else None


def shell(request: HttpRequest) -> Mapping[str, Any]:
    """Provide the frame to templates as a context processor. It is empty on pages for unauthenticated callers."""
    found: Shell | None = getattr(request, "shell", None)
    if found is None:
        return {}
    return {"shell": found, "menu": menu_of(found.links(request.path)), "scopes": found.identity.scopes}
