import psycopg.errors as server
import pytest
from django.db import DataError, InterfaceError, InternalError, OperationalError, ProgrammingError

from tenants.core.db.failures import is_operators, trouble_of


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


AWAY = caused(OperationalError("gone"), server.OperationalError("server closed the connection"))
FULL = caused(OperationalError("could not extend file"), server.DiskFull("could not extend file"))
READ_ONLY = caused(InternalError("cannot execute"), server.ReadOnlySqlTransaction("cannot execute"))
SHUT_DOWN = caused(OperationalError("terminating"), server.AdminShutdown("terminating"))
TOO_LONG = caused(OperationalError("canceling"), server.QueryCanceled("canceling"))
DEADLOCK = caused(OperationalError("deadlock"), server.DeadlockDetected("deadlock"))


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (AWAY, "database_unavailable"),
        (SHUT_DOWN, "database_unavailable"),
        (READ_ONLY, "database_unavailable"),
        (TOO_LONG, "database_unavailable"),
        (FULL, "storage_unavailable"),
        (InterfaceError("the connection is closed"), "database_unavailable"),
    ],
)
def test_what_passes_is_told_with_a_time_to_come_again(error: Exception, code: str) -> None:
    trouble = trouble_of(error)
    assert trouble is not None
    assert trouble.code == code
    assert int(str(trouble.extra["retry_after_s"])) >= 1
    assert str(error) not in trouble.detail, "what the server said is for the log alone"


@pytest.mark.parametrize("error", [ProgrammingError("no such column"), DataError("too long"), InternalError("what")])
def test_a_defect_of_ours_is_no_trouble_of_the_database(error: Exception) -> None:
    assert trouble_of(error) is None
    assert not is_operators(error)


@pytest.mark.parametrize(
    ("error", "operators"),
    [
        (AWAY, True),
        (FULL, True),
        (READ_ONLY, True),
        (SHUT_DOWN, True),
        (TOO_LONG, False),
        (DEADLOCK, False),
        (OSError("disk"), False),
    ],
)
def test_a_page_is_never_blamed_for_the_operators_server(error: Exception, operators: bool) -> None:
    assert is_operators(error) is operators
