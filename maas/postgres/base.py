"""PostgreSQL for Django, where a connection that the server itself has ended reads as a database that is away.

The standard's class for these errors is that of an error inside the database, which nobody would try again.
"""

from types import TracebackType

import psycopg
from django.db.utils import DatabaseErrorWrapper, OperationalError
from django.utils.functional import cached_property
from django_prometheus.db.backends.postgresql import base

_AWAY = (
    # A process that stood still inside a transaction finds it ended when it goes on.
    psycopg.errors.IdleInTransactionSessionTimeout,
    psycopg.errors.TransactionTimeout,
    # The server was made a standby, and another one is to be asked.
    psycopg.errors.ReadOnlySqlTransaction,
)


class AwayErrorWrapper(DatabaseErrorWrapper):
    wrapper: "DatabaseWrapper"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, _AWAY):
            self.wrapper.errors_occurred = True
            raise OperationalError(*error.args).with_traceback(trace) from error
        super().__exit__(kind, error, trace)


class DatabaseWrapper(base.DatabaseWrapper):  # type: ignore[misc]
    @cached_property
    def wrap_database_errors(self) -> DatabaseErrorWrapper:
        return AwayErrorWrapper(self)
