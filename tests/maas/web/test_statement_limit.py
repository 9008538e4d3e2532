"""Tests that a request's database statements are limited in time, and that those of operators are not."""

from collections.abc import Iterator

import pytest
from django.db import connections
from django.db.backends.signals import connection_created

from maas.web import statement_limit
from tenants.core.db.unit_of_work import APP


@pytest.fixture
def _a_web_process() -> Iterator[None]:
    statement_limit.limit_statements()
    yield
    connection_created.disconnect(dispatch_uid=statement_limit.__name__)
    connections[APP].close()


def limit_of(alias: str) -> str:
    connections[alias].close()
    with connections[alias].cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        return str(cursor.fetchone()[0])


@pytest.mark.usefixtures("_a_web_process")
def test_a_request_may_ask_for_as_long_as_twice_a_lease() -> None:
    assert limit_of(APP) == "1min"


def test_a_tenants_transaction_may_stand_still_for_seconds() -> None:
    """A stream of events gets no further than the oldest transaction that still writes."""
    with connections[APP].cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone()[0] == "5s"


@pytest.mark.usefixtures("_a_web_process")
def test_operators_and_owners_are_not_limited() -> None:
    assert {limit_of("operator"), limit_of("owner")} == {"0"}
