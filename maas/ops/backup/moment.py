"""A snapshot of the database that several connections read together."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections, transaction

from maas.ops.backup.errors import BackupError
from tenants.core.db.unit_of_work import OPERATOR, operator_work

# A table with row security but without the policy `operator_door` would be dumped without its rows, and without an
# error.
_HIDDEN = """
SELECT relname FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relrowsecurity
  AND relname NOT IN (SELECT tablename FROM pg_policies WHERE schemaname = 'public' AND policyname = 'operator_door')
"""
_TABLES = """
SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname
"""


@contextmanager
def one_moment() -> Iterator[str]:
    """Open a snapshot in the operator's scope, and yield its name. The name is valid for as long as this context is
    open.
    """
    with operator_work(), transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot()")
        yield str(cursor.fetchone()[0])


def refuse_hidden_tables() -> None:
    hidden = _names(_HIDDEN)
    if hidden:
        raise BackupError(f"row security would hide rows of {', '.join(hidden)}: give them an operator_door")


def row_counts() -> dict[str, int]:
    counts = {}
    with connections[OPERATOR].cursor() as cursor:
        for table in _names(_TABLES):
            cursor.execute(f'SELECT count(*) FROM "{table}"')  # noqa: S608 - the name comes from the catalog
            counts[table] = int(cursor.fetchone()[0])
    return counts


def applied_migrations() -> list[str]:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute("SELECT app || '.' || name FROM django_migrations ORDER BY 1")
        return [str(row[0]) for row in cursor.fetchall()]


def _names(query: str) -> list[str]:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(query)
        return [str(row[0]) for row in cursor.fetchall()]
