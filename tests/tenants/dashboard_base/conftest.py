"""The members of the dashboard's tests."""

from tests.tenants.dashboard.conftest import both, in_role, member, stranger

__all__ = ["both", "in_role", "member", "stranger"]
