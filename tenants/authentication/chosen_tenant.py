"""The tenant that a person chose for the session, and requests from pages that were shown for another tenant."""

from uuid import UUID

from django.http import HttpRequest

from tenants.authentication.selectors import memberships_of
from tenants.core.errors import AccountSwitched
from tenants.identity.identity import Identity

HEADER = "X-Tenant"
FIELD = "shown_tenant"
READING = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_NAME = "tenant"


def chosen_tenant(request: HttpRequest) -> UUID | None:
    """Return the chosen tenant, or None before a choice. The person may have left it since."""
    chosen = request.session.get(_NAME)
    return UUID(chosen) if isinstance(chosen, str) else None


def choose_tenant(request: HttpRequest, tenant_id: UUID) -> None:
    request.session[_NAME] = str(tenant_id)


def is_of_other_tenant(shown_for: str | None, identity: Identity) -> bool:
    """Return whether a request comes from another tenant's page. No name means no page, or an older version's."""
    return bool(shown_for) and shown_for != str(identity.tenant_id)


def refuse_other_tenants(shown_for: str | None, request: HttpRequest, identity: Identity) -> None:
    """Refuse a write from the page of another tenant; only a refusal queries. Raises AccountSwitched."""
    if request.method in READING or not is_of_other_tenant(shown_for, identity):
        return
    assert identity.user_id is not None
    rows = memberships_of(identity.user_id)
    name = next((row.tenant_name for row in rows if str(row.tenant_id) == shown_for), None)
    belongs_to = f"the account “{name}”" if name else "an account that you are no longer a member of"
    raise AccountSwitched(
        f"This page belongs to {belongs_to}; in another tab you switched to “{identity.tenant_name}”. "
        "Nothing was changed. Reload the page" + (f", or switch back to “{name}”." if name else ".")
    )
