"""The scopes of each role of a member."""

from tenants.identity.identity import all_scopes

OWNER, ADMIN, DEVELOPER, BILLING, VIEWER = "owner", "admin", "developer", "billing", "viewer"
_ALL = all_scopes()
_MONEY = frozenset({"usage:read", "billing:read", "billing:write"})
_OF_PEOPLE = frozenset({"members:write", "account:write", "audit:read"})

_SCOPES = {
    OWNER: _ALL,
    ADMIN: _ALL - {"account:write"},
    DEVELOPER: _ALL - _OF_PEOPLE - {"billing:read", "billing:write"},
    BILLING: _MONEY | {"members:read"},
    VIEWER: frozenset({"documents:read", "jobs:read", "models:read", "events:read", "members:read"}),
}
"""The scopes by role. The billing role sees usage and costs, and no content of any document."""


def scopes_of(role: str) -> frozenset[str]:
    """Return the scopes of a role. An unknown role has none."""
    return _SCOPES.get(role, frozenset())
