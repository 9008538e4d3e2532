"""What each role of a member may do."""

from tenants.identity import MEMBER_SCOPES

OWNER, ADMIN, DEVELOPER, BILLING, VIEWER = "owner", "admin", "developer", "billing", "viewer"
_READ = frozenset(scope for scope in MEMBER_SCOPES if scope.endswith(":read")) - {"audit:read"}

_SCOPES = {
    OWNER: frozenset(MEMBER_SCOPES),
    ADMIN: frozenset(MEMBER_SCOPES),
    DEVELOPER: frozenset(MEMBER_SCOPES) - {"audit:read"},
    BILLING: _READ - {"keys:read", "log:read", "webhooks:read"},
    VIEWER: _READ - {"keys:read", "log:read", "usage:read", "webhooks:read"},
}


def scopes_of(role: str) -> frozenset[str]:
    """Nothing for a role that is not known."""
    return _SCOPES.get(role, frozenset())
