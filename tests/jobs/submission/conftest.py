"""Submissions under a key."""

from tests.jobs.idempotency.conftest import submit

__all__ = ["submit"]
