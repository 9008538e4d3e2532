"""PostgreSQL for Django, where a connection that the server itself has ended reads as a database that is away, and a
number that no column holds as wrong data, though it never leaves.

The standard's class for these errors is that of an error inside the database, which nobody would try again. Whether a
connection has been ended is seen without a question to the server: each piece of work would wait for its answer.
"""

import select
from types import TracebackType

import psycopg
from django.db.utils import DatabaseErrorWrapper, DataError, OperationalError
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
        if isinstance(error, OverflowError):
            raise DataError(*error.args).with_traceback(trace) from error
        super().__exit__(kind, error, trace)


class DatabaseWrapper(base.DatabaseWrapper):  # type: ignore[misc]
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
