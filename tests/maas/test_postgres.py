"""Tests that whatever ends a connection counts as an unavailable database, and is answered and waited for so."""

import select
from collections.abc import Callable, Iterator
from contextlib import nullcontext

import psycopg
import pytest
from django.db import DataError, IntegrityError, OperationalError, connections, transaction

from maas.web.errors.api_errors import body_for
from tenants.accounts.models import User
from tenants.core.db.failures import may_pass
from tenants.core.db.unit_of_work import APP

pytestmark = pytest.mark.django_db(transaction=True, databases=[APP, "operator", "owner"])


@pytest.fixture
def _own_connection() -> None:
    connections[APP].close()


@pytest.mark.usefixtures("_own_connection")
def test_a_transaction_that_stood_still_too_long_finds_the_database_away() -> None:
    with pytest.raises(OperationalError) as caught:
        stand_still_in_a_transaction()
    # The server says so and closes the connection at once: now and then only that is read.
    cause = caught.value.__cause__
    assert isinstance(cause, psycopg.errors.IdleInTransactionSessionTimeout | psycopg.OperationalError), cause
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


@pytest.fixture
def widen() -> Iterator[Callable[[int], None]]:
    """Change the column as a migration does, over another connection than the one that reads."""

    def make(width: int) -> None:
        with connections["owner"].cursor() as cursor:
            cursor.execute(f"CREATE TABLE IF NOT EXISTS widened (currency varchar({width}))")
            cursor.execute("GRANT SELECT ON widened TO PUBLIC")
            cursor.execute(f"ALTER TABLE widened ALTER COLUMN currency TYPE varchar({width})")

    yield make
    with connections["owner"].cursor() as cursor:
        cursor.execute("DROP TABLE widened")


@pytest.mark.usefixtures("_own_connection")
@pytest.mark.parametrize("whole", [True, False], ids=["in a transaction", "by itself"])
def test_what_was_prepared_before_a_column_was_widened_is_away_once_and_does_then(
    whole: bool, widen: Callable[[int], None]
) -> None:
    def read() -> None:
        with transaction.atomic(using=APP) if whole else nullcontext(), connections[APP].cursor() as cursor:
            cursor.execute("SELECT currency FROM widened WHERE currency = %s", ["EUR"])

    widen(3)
    for _ in range(10):
        read()
    widen(8)
    with pytest.raises(OperationalError) as caught:
        read()
    assert may_pass(caught.value), "a worker keeps its result and writes it once more"
    answer = body_for(caught.value)
    assert answer is not None
    assert answer["status"] == 503
    for _ in range(10):
        read()


@pytest.mark.parametrize(
    ("column", "kind", "number"),
    [
        ("smallint", "SmallIntegerField", 2**16 + 5),
        ("smallint", "PositiveSmallIntegerField", 2**15),
        ("integer", "IntegerField", 2**32 + 5),
        ("integer", "PositiveIntegerField", 2**31),
        ("bigint", "BigIntegerField", 2**64 + 5),
        ("bigint", "BigIntegerField", -(2**63) - 1),
    ],
)
def test_a_number_that_its_column_does_not_hold_is_refused(column: str, kind: str, number: int) -> None:
    """The database would receive a truncated number if it was sent as the column's own type."""
    sent = connections[APP].ops.adapt_integerfield_value(number, kind)
    with connections[APP].cursor() as cursor:
        cursor.execute("SELECT %s::numeric", [sent])
        assert cursor.fetchone() == (number,)
        with pytest.raises(DataError):
            cursor.execute(f"SELECT %s::{column}", [sent])


@pytest.mark.usefixtures("_own_connection")
def test_lists_are_planned_for_what_they_are_asked_for() -> None:
    for number in range(20):
        list(User.objects.using(APP).filter(email__gt=str(number)).order_by("email")[:2])
        User.objects.using(APP).filter(email=str(number)).exists()
    with connections[APP].cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%tenants_user%'")
        (kept,) = [row[0] for row in cursor.fetchall()]
    assert "LIMIT 1" in kept


@pytest.mark.usefixtures("_own_connection")
@pytest.mark.parametrize(("alias", "prepared"), [(APP, 1), ("operator", 1), ("owner", 0)])
def test_what_is_asked_again_and_again_is_prepared(alias: str, prepared: int) -> None:
    with connections[alias].cursor() as cursor:
        for number in range(10):
            cursor.execute("SELECT %s::int AS again_and_again", [number])
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%again_and_again%'")
        assert cursor.fetchone() == (prepared,)


@pytest.mark.usefixtures("_own_connection")
def test_a_connection_that_works_is_asked_nothing() -> None:
    pid = pid_of_own()
    requested_at = last_asked(pid)
    assert connections[APP].is_usable()
    assert last_asked(pid) == requested_at


@pytest.mark.usefixtures("_own_connection")
def test_a_connection_that_the_server_has_ended_is_not_used_again() -> None:
    pid = pid_of_own()
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
    _until_ended(connections[APP].connection)
    connections[APP].close_if_unusable_or_obsolete()
    connections[APP].health_check_enabled = True  # type: ignore[attr-defined]  # unknown to the stubs
    connections[APP].close_if_health_check_failed()
    assert pid_of_own() != pid


def pid_of_own() -> int:
    with connections[APP].cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def last_asked(pid: int) -> object:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT query_start FROM pg_stat_activity WHERE pid = %s", [pid])
        (at,) = cursor.fetchone()
    assert at is not None
    return at


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
    """Wait until the server's last message has arrived, without reading it."""
    ready, _, _ = select.select([connection.fileno()], [], [], 10.0)
    assert ready
