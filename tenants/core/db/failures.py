"""Errors for callers if the database fails for a temporary reason that is the operator's."""

from django.db import DatabaseError, InterfaceError, InternalError, OperationalError
from psycopg.errors import DiskFull, QueryCanceled, ReadOnlySqlTransaction

from tenants.core.errors import DatabaseUnavailable, TenantClosing

PASSING = (OperationalError, InterfaceError, InternalError)
"""The errors that may be temporary; `trouble_of` decides which of them are."""
_OF_THE_SERVER = ("08", "53", "57", "58")
"""The SQLSTATE classes of connections, resources, an operator's intervention, and the system."""
ERASED = "MA001"
"""The SQLSTATE of our own trigger: tenants/sql/40_erased_tenants.sql."""
FULL_PAUSE_S = 15
"""The seconds before a retry if the disk is full. A person must free disk space first."""


def trouble_of(error: BaseException) -> DatabaseUnavailable | None:
    """Return the error for the caller. Return None for a defect of ours, which must stay visible."""
    match error.__cause__:
        case QueryCanceled():
            message = "The database query took too long. Request less data or try again."
            return DatabaseUnavailable(message, extra={"retry_after_s": 2})
        case DiskFull():
            message = "The database has no disk space left. Nothing was stored. Try again later."
            return DatabaseUnavailable(
                message,
                code="storage_unavailable",
                gate="database_disk",
                extra={"retry_after_s": FULL_PAUSE_S},
            )
        case ReadOnlySqlTransaction():
            # This is a standby before it is promoted, or a server that protects itself from a full disk.
            message = "The database is read-only at the moment. Nothing was stored. Try again."
            return DatabaseUnavailable(message, extra={"retry_after_s": 5})
    return database_unavailable() if isinstance(error, OperationalError | InterfaceError) else None


def erased_meanwhile(error: BaseException) -> TenantClosing | None:
    """Return the refusal of a write after its tenant's erasure began. Return None for other errors."""
    if isinstance(error, DatabaseError) and getattr(error.__cause__, "sqlstate", None) == ERASED:
        return TenantClosing("This account is deleted. Its data is deleted or will be deleted soon.")
    return None


def database_unavailable() -> DatabaseUnavailable:
    """Return the error for an unreachable database. Nothing was done, and a retry may help."""
    return DatabaseUnavailable("The database does not answer. Try again.", extra={"retry_after_s": 2})


_OF_THE_MOMENT = ("40", "25P03", "25P04", "55P03", "0A000")
"""The SQLSTATE prefixes of momentary errors: two transactions conflicted and one of them had to end, a transaction
stood still for too long, a lock was not available, or a prepared statement is out of date since a migration
(maas/postgres/base.py makes only this last error an OperationalError).
"""


def may_pass(error: BaseException) -> bool:
    """Return whether the same statements may succeed when a caller that can wait tries them again."""
    state = getattr(error.__cause__, "sqlstate", None) or ""
    return is_operators(error) or (isinstance(error, OperationalError) and state.startswith(_OF_THE_MOMENT))


def is_operators(error: BaseException) -> bool:
    """Return whether the database is to blame: not reachable, without capacity, or read-only."""
    match error:
        case DatabaseError(__cause__=ReadOnlySqlTransaction()):
            return True
        case DatabaseError(__cause__=QueryCanceled()):
            return False
        case OperationalError() | InterfaceError():
            state = getattr(error.__cause__, "sqlstate", None)
            return state is None or state.startswith(_OF_THE_SERVER)
    return False
