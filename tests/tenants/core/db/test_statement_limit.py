"""Tests that statements of requests, of pages and of the scheduler are limited in time, and migrations are not."""

from collections.abc import Iterator

import pytest
from django.db import OperationalError, connections
from django.db.backends.signals import connection_created

from tenants.core.db import statement_limit
from tenants.core.db.unit_of_work import APP, OPERATOR


@pytest.fixture(autouse=True)
def _unlimited_afterwards() -> Iterator[None]:
    yield
    connection_created.disconnect(dispatch_uid=statement_limit.__name__)
    for alias in (APP, OPERATOR):
        connections[alias].close()


def limit_of(alias: str) -> str:
    connections[alias].close()
    with connections[alias].cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        return str(cursor.fetchone()[0])


def test_a_request_may_ask_for_as_long_as_twice_a_lease() -> None:
    statement_limit.limit_statements(statement_limit.statement_limit_s())
    assert {limit_of(APP), limit_of(OPERATOR)} == {"1min"}


def test_a_check_of_the_scheduler_may_take_longer() -> None:
    statement_limit.limit_statements(statement_limit.statement_limit_s())
    statement_limit.limit_statements(statement_limit.UPKEEP_S)
    assert {limit_of(APP), limit_of(OPERATOR)} == {"10min"}


def test_a_statement_beyond_the_limit_is_like_a_database_that_is_unavailable() -> None:
    statement_limit.limit_statements(1)
    connections[OPERATOR].close()
    with connections[OPERATOR].cursor() as cursor, pytest.raises(OperationalError, match="statement timeout"):
        cursor.execute("SELECT pg_sleep(30)")


def test_a_tenants_transaction_may_stand_still_for_seconds() -> None:
    """A stream of events gets no further than the oldest transaction that still writes."""
    with connections[APP].cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone()[0] == "5s"


def test_the_owner_who_migrates_is_not_limited() -> None:
    statement_limit.limit_statements(1)
    assert limit_of("owner") == "0"
