"""PostgreSQL backend for Django. A connection that the server itself has ended is reported as a database that is
unavailable. The server refuses a number that its column does not hold. Lists are planned for their actual
parameters. A prepared statement whose column type a migration has changed is also reported as a database that is
unavailable for a moment.

The standard's class for these errors is that of an error inside the database, which callers would not retry. The check
whether a connection has ended sends no query to the server, because each unit of work would wait for its response.
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
    # A process that was suspended inside a transaction finds it ended when it resumes.
    psycopg.errors.IdleInTransactionSessionTimeout,
    psycopg.errors.TransactionTimeout,
    # The server was made a standby, and the query has to go to another server.
    psycopg.errors.ReadOnlySqlTransaction,
)


def _is_out_of_date(error: psycopg.Error) -> bool:
    """Say whether a migration has changed the type of a column in a statement that this connection had prepared."""
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
                # Closing the connection drops its prepared statements. Otherwise the statement would fail each time it
                # is retried.
                self.wrapper.close()
            raise OperationalError(*error.args).with_traceback(trace) from error
        super().__exit__(kind, error, trace)


class CheckedIntegers(DatabaseOperations):
    def adapt_integerfield_value(self, value: Any, internal_type: str) -> Any:
        """Pass a number outside the column's range as it is: the adapter of the column's type would truncate it."""
        low, high = self.integer_field_range(internal_type)
        if isinstance(value, int) and not low <= value <= high:
            return value
        return super().adapt_integerfield_value(value, internal_type)


class PlannedLists:
    """A cursor that does not prepare lists and counts, so that each is planned for its own values."""

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
    return query.startswith("SELECT ") and any(word in query for word in (" ORDER BY ", " GROUP BY ", "COUNT("))


class DatabaseWrapper(RoleSwitching, base.DatabaseWrapper):  # type: ignore[misc]
    ops_class = CheckedIntegers

    def get_new_connection(self, conn_params: dict[str, Any]) -> "psycopg.Connection[Any]":
        connection: psycopg.Connection[Any] = super().get_new_connection(conn_params)
        self.begins_as(APP_ROLE)
        if connection.prepare_threshold is not None:
            connection.cursor_factory = _planned(cast("Any", connection.cursor_factory))
        return connection

    def create_cursor(self, name: str | None = None) -> Any:
        """Create a cursor that acts as the current role. Signing in has another role than other requests."""
        if self.alias == APP:
            self.act_as(current_role())
        return super().create_cursor(name)

    @cached_property
    def wrap_database_errors(self) -> DatabaseErrorWrapper:
        return AwayErrorWrapper(self)

    def is_usable(self) -> bool:
        """Check whether the connection is still open. If a server has ended it, a message or the end of the stream is
        ready to read.

        The data may also be a notice, but that is rare, so the server is then queried. If a connection was cut without
        any message, the next statement finds out as a query here would: the kernel gives up on either after the same
        time.
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
