"""PostgreSQL for Django, where a connection that the server itself has ended reads as a database that is away, a number
that its column does not hold is refused by the server, and lists are planned for what they are asked for. What was
prepared before a migration changed what it reads is a database that is away for a moment, too.

The standard's class for these errors is that of an error inside the database, which nobody would try again. Whether a
connection has been ended is seen without a question to the server: each piece of work would wait for its answer.
"""

import select
from functools import cache
from types import TracebackType
from typing import Any, cast

import psycopg
from django.db.backends.postgresql.operations import DatabaseOperations
from django.db.utils import DatabaseErrorWrapper, OperationalError
from django.utils.functional import cached_property
from django_prometheus.db.backends.postgresql import base

from tenants.core.db.roles import APP_ROLE, RoleSwitching
from tenants.core.db.unit_of_work import APP, current_role

_AWAY = (
    # A process that stood still inside a transaction finds it ended when it goes on.
    psycopg.errors.IdleInTransactionSessionTimeout,
    psycopg.errors.TransactionTimeout,
    # The server was made a standby, and another one is to be asked.
    psycopg.errors.ReadOnlySqlTransaction,
)


def _is_out_of_date(error: psycopg.Error) -> bool:
    """A migration has changed the type of a column while this connection had prepared to read it."""
    return isinstance(error, psycopg.errors.FeatureNotSupported) and error.diag.source_file == "plancache.c"


class AwayErrorWrapper(DatabaseErrorWrapper):
    wrapper: "DatabaseWrapper"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, psycopg.Error) and (isinstance(error, _AWAY) or _is_out_of_date(error)):
            self.wrapper.errors_occurred = True
            if _is_out_of_date(error):
                # With all that was prepared on it: else each time that it is asked again would fail.
                self.wrapper.close()
            raise OperationalError(*error.args).with_traceback(trace) from error
        super().__exit__(kind, error, trace)


class CheckedIntegers(DatabaseOperations):
    def adapt_integerfield_value(self, value: Any, internal_type: str) -> Any:
        """What a column's type does not hold would be sent cut off; as a plain number it is what it is."""
        low, high = self.integer_field_range(internal_type)
        if isinstance(value, int) and not low <= value <= high:
            return value
        return super().adapt_integerfield_value(value, internal_type)


class PlannedLists:
    """Of a cursor: a list, or a count, of a few rows among very many is not planned for all values at once."""

    def execute(
        self, query: Any, params: Any = None, *, prepare: bool | None = None, binary: bool | None = None
    ) -> Any:
        if prepare is None and isinstance(query, str) and _is_list(query):
            prepare = False
        return super().execute(query, params, prepare=prepare, binary=binary)  # type: ignore[misc]


@cache
def _planned(cursor: type) -> type:
    return type("PlannedCursor", (PlannedLists, cursor), {})


def _is_list(query: str) -> bool:
    return query.startswith("SELECT ") and any(
        word in query for word in (" ORDER BY ", " GROUP BY ", "COUNT(")
    )


class DatabaseWrapper(RoleSwitching, base.DatabaseWrapper):  # type: ignore[misc]
    ops_class = CheckedIntegers

    def get_new_connection(self, conn_params: dict[str, Any]) -> "psycopg.Connection[Any]":
        connection: psycopg.Connection[Any] = super().get_new_connection(conn_params)
        self.begins_as(APP_ROLE)
        if connection.prepare_threshold is not None:
            connection.cursor_factory = _planned(cast("Any", connection.cursor_factory))
        return connection

    def create_cursor(self, name: str | None = None) -> Any:
        """One that acts as the role of this moment: signing in has another one than other requests."""
        if self.alias == APP:
            self.act_as(current_role())
        return super().create_cursor(name)

    @cached_property
    def wrap_database_errors(self) -> DatabaseErrorWrapper:
        return AwayErrorWrapper(self)

    def is_usable(self) -> bool:
        """A server that has ended a connection has said so, or has hung up: there is something to read.

        A notice may be there too, seldom enough to be asked about. Who was cut off without a word is found out by the
        next statement, as by a question: the kernel gives up on either after the same time.
        """
        connection: psycopg.Connection[object] | None = self.connection
        if connection is None or connection.closed:
            return False
        if self.errors_occurred or _something_to_read(connection.fileno()):
            return bool(super().is_usable())
        return True


def _something_to_read(socket: int) -> bool:
    look = select.poll()
    look.register(socket, select.POLLIN)
    return bool(look.poll(0))
