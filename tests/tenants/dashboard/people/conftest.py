"""A service that sends mail."""

from tests.tenants.dashboard.accounts.conftest import _mailing, email, stranger

__all__ = ["_mailing", "email", "stranger"]
