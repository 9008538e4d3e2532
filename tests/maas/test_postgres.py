"""What ends a connection of ours is a database that is away, and is answered and waited for as such."""

import select

import psycopg
import pytest
from django.db import IntegrityError, OperationalError, connections, transaction

from maas.api_errors import body_for
from tenants.context import APP

pytestmark = pytest.mark.django_db(transaction=True, databases=[APP, "operator", "owner"])


@pytest.fixture
def _own_connection() -> None:
    connections[APP].close()


@pytest.mark.usefixtures("_own_connection")
def test_a_transaction_that_stood_still_too_long_finds_the_database_away() -> None:
    with pytest.raises(OperationalError) as caught:
        stand_still_in_a_transaction()
    assert isinstance(caught.value.__cause__, psycopg.errors.IdleInTransactionSessionTimeout)
    answer = body_for(caught.value)
    assert answer is not None
    assert answer["status"] == 503
    with connections[APP].cursor() as cursor:
        cursor.execute("SELECT 1")


def test_a_server_that_only_reads_is_away() -> None:
    with pytest.raises(OperationalError):
        write("SET TRANSACTION READ ONLY", "DELETE FROM django_session")


def test_other_errors_are_what_they_were() -> None:
    with pytest.raises(IntegrityError):
        write("DO $$ BEGIN RAISE unique_violation; END $$")


def stand_still_in_a_transaction() -> None:
    with transaction.atomic(using=APP), connections[APP].cursor() as cursor:
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '1ms'")
        _until_ended(connections[APP].connection)
        cursor.execute("SELECT 1")


def write(*statements: str) -> None:
    with transaction.atomic(using=APP), connections[APP].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _until_ended(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    """The server's last word has arrived, and has not been read."""
    ready, _, _ = select.select([connection.fileno()], [], [], 10.0)
    assert ready
