"""The database roles that the product's connections act as, and a connection that changes between two of them."""

from typing import Any

import psycopg
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql
from psycopg.pq import TransactionStatus

APP_ROLE = "maas_app"
"""The role of requests and of the work on pages. It sees one tenant's rows, and writes nothing outside of a tenant."""
ACCOUNTS_ROLE = "maas_accounts"
"""The role of sign-in and people's own pages: APP_ROLE with people's passwords, factors and sessions."""
OPERATOR_ROLE = "maas_operator"


class RoleSwitching(BaseDatabaseWrapper):
    """A connection that begins as one role and acts as another on request.

    The role is changed before the next statement, and only if it differs.
    """

    _role: str | None = None
    """The current role; None if a rollback may have undone a change."""
    _changed_in_transaction = False

    def begins_as(self, role: str) -> None:
        """Note the role of a new connection."""
        self._role, self._changed_in_transaction = role, False

    def act_as(self, role: str) -> None:
        connection: psycopg.Connection[Any] | None = self.connection
        if role == self._role or connection is None or self._has_failed():
            # After a failed statement Postgres accepts only a rollback. The next statement after that sets the role
            # again.
            return
        with self.wrap_database_errors:
            statement = sql.SQL("SET ROLE {}").format(sql.Identifier(role))
            psycopg.Cursor(connection).execute(statement, prepare=False)
        self._role = role
        self._changed_in_transaction |= not connection.autocommit

    def _commit(self) -> None:
        if self._has_failed():
            # Postgres rolls back a failed transaction, even on a commit.
            self._doubt_role()
        super()._commit()  # type: ignore[misc]  # unknown to the stubs
        self._changed_in_transaction = False

    def _rollback(self) -> None:
        super()._rollback()  # type: ignore[misc]
        self._doubt_role()
        self._changed_in_transaction = False

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]
        self._doubt_role()

    def _has_failed(self) -> bool:
        connection: psycopg.Connection[Any] | None = self.connection
        return connection is not None and connection.info.transaction_status == TransactionStatus.INERROR

    def _doubt_role(self) -> None:
        if self._changed_in_transaction:
            self._role = None
