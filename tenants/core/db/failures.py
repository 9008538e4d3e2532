"""What a caller is told where the database fails for a reason that is the operator's, and will pass."""

from django.db import DatabaseError, InterfaceError, InternalError, OperationalError
from psycopg.errors import DiskFull, QueryCanceled, ReadOnlySqlTransaction

from tenants.core.errors import DatabaseAway, TenantClosing

PASSING = (OperationalError, InterfaceError, InternalError)
"""What may be one; `trouble_of` looks at which it is."""
_OF_THE_SERVER = ("08", "53", "57", "58")
"""Classes of SQLSTATE: connections, resources, an operator's hand, the system."""
ERASED = "MA001"
"""Of our own fence: tenants/migrations/0034_erasure_fence.py."""
FULL_PAUSE_S = 15
"""Somebody has to make room first."""


def trouble_of(error: BaseException) -> DatabaseAway | None:
    """None for what is a defect of ours and must stay loud."""
    match error.__cause__:
        case QueryCanceled():
            words = "The database took too long over this and was stopped. Ask for less, or try again."
            return DatabaseAway(words, extra={"retry_after_s": 2})
        case DiskFull():
            return database_full()
        case ReadOnlySqlTransaction():
            # A standby before it is promoted, or a server that protects itself from a full disk.
            words = "The database takes no writes at the moment, and nothing was stored. Try again."
            return DatabaseAway(words, extra={"retry_after_s": 5})
    return database_away() if isinstance(error, OperationalError | InterfaceError) else None


def erased_meanwhile(error: BaseException) -> TenantClosing | None:
    """What was let in a moment before its tenant's erasure began, and came to write when it had."""
    if isinstance(error, DatabaseError) and getattr(error.__cause__, "sqlstate", None) == ERASED:
        return TenantClosing("This account is deleted: what was in it is erased, or about to be.")
    return None


def database_away() -> DatabaseAway:
    """For a database that restarts, fails over or is cut off: nothing was done, and asking again will do."""
    return DatabaseAway("The database cannot be reached right now. Try again.", extra={"retry_after_s": 2})


def database_full() -> DatabaseAway:
    words = "The service's database has no disk space left, and nothing was stored. Try again later."
    return DatabaseAway(words, code="storage_unavailable", extra={"retry_after_s": FULL_PAUSE_S})


_OF_THE_MOMENT = ("40", "25P03", "25P04", "55P03", "0A000")
"""Of two that wanted the same, one had to go; one stood still for too long; a lock was not had; what was prepared is
out of date since a migration (maas/postgres/base.py makes an OperationalError of that one alone)."""


def may_pass(error: BaseException) -> bool:
    """Whether the same statements may do when they are tried again, by whoever can wait."""
    state = getattr(error.__cause__, "sqlstate", None) or ""
    return is_operators(error) or (isinstance(error, OperationalError) and state.startswith(_OF_THE_MOMENT))


def is_operators(error: BaseException) -> bool:
    """Whether no page and no request is to blame: nobody was reached, there was no room, or no writes are taken."""
    match error:
        case DatabaseError(__cause__=ReadOnlySqlTransaction()):
            return True
        case DatabaseError(__cause__=QueryCanceled()):
            return False
        case OperationalError() | InterfaceError():
            state = getattr(error.__cause__, "sqlstate", None)
            return state is None or state.startswith(_OF_THE_SERVER)
    return False
