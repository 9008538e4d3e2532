"""Restricts a page's requests to the account that the page was shown for, because another tab may have switched the
session to another account.
"""

from django.http import HttpRequest

from tenants.authentication.selectors import memberships_of
from tenants.core.errors import TenantSwitched
from tenants.identity.identity import Identity

HEADER = "X-Tenant"
FIELD = "shown_tenant"
READING = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


def is_of_other_tenant(shown_for: str | None, identity: Identity) -> bool:
    """Return whether a request comes from the page of another tenant. A request that does not name its tenant comes
    from no page, or from a page of an older version.
    """
    return bool(shown_for) and shown_for != str(identity.tenant_id)


def refuse_other_tenants(shown_for: str | None, request: HttpRequest, identity: Identity) -> None:
    """Refuse a request from the page of another tenant. Requests that only read are not refused. This queries the
    database if it refuses. Raises TenantSwitched.
    """
    if request.method in READING or not is_of_other_tenant(shown_for, identity):
        return
    assert identity.user_id is not None
    rows = memberships_of(identity.user_id)
    name = next((row.tenant_name for row in rows if str(row.tenant_id) == shown_for), None)
    belongs_to = f"the account “{name}”" if name else "an account that you are no longer a member of"
    raise TenantSwitched(
        f"This page belongs to {belongs_to}; in another tab you switched to “{identity.tenant_name}”. "
        "Nothing was changed. Reload the page" + (f", or switch back to “{name}”." if name else ".")
    )
