"""Applies the SQL files of the apps: functions, triggers, views, rights and policies, in `*/sql/*.sql`.

They are applied after the last migration, all in one transaction, when a file or the set of migrations has changed.
Every file can be applied again, and each leaves a database that processes of the version before can work with.
"""

import hashlib
import random
import time
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import psycopg
from django.apps import apps
from django.db import OperationalError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

_TRIES = 40
# Shorter than PostgreSQL's deadlock_timeout, so that in a deadlock this transaction ends and never one of a tenant.
_LOCK_TIMEOUT_MS = 500
_LOCK = 0x6D616173_73716C00

# The table has a row for each set of files that the database has had.
_CREATE = """
CREATE TABLE IF NOT EXISTS maas_applied_sql (
    files text, state text, applied_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (files, state)
)
"""
_LAST = "SELECT files, state FROM maas_applied_sql ORDER BY applied_at DESC LIMIT 1"
_IS_THERE = "SELECT to_regclass('maas_applied_sql') IS NOT NULL"
_EVER = "SELECT EXISTS (SELECT FROM maas_applied_sql WHERE files = %s)"
_RECORD = """
INSERT INTO maas_applied_sql (files, state) VALUES (%s, %s)
ON CONFLICT (files, state) DO UPDATE SET applied_at = clock_timestamp()
"""
# What the files create also depends on the tables, and on an extension that may be installed later.
_STATE = """
SELECT md5((SELECT string_agg(app || '.' || name, ' ' ORDER BY app, name) FROM django_migrations))
    || CASE WHEN to_regtype('halfvec') IS NULL THEN '' ELSE ' with halfvec' END
"""


def sql_files() -> list[Path]:
    """Return the files in the order in which they are applied: by the number in their names, then by app."""
    found = [
        (path.name.partition("_")[0], position, path.name, path)
        for position, config in enumerate(apps.get_app_configs())
        for path in Path(config.path, "sql").glob("*.sql")
    ]
    return [path for *_, path in sorted(found)]


def digest_of(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def apply_sql(connection: BaseDatabaseWrapper, files: list[Path]) -> bool:
    """Apply `files` unless the database has them. Return whether they were applied.

    While others write, a lock may be unavailable for a moment. The whole is then tried again.
    """
    for remaining in reversed(range(_TRIES)):
        try:
            return _apply(connection, files)
        except OperationalError as error:
            if not isinstance(error.__cause__, psycopg.errors.LockNotAvailable) or not remaining:
                raise
        time.sleep(random.uniform(0.1, 1.0))  # noqa: S311  # no secret
    raise AssertionError("the last try raises")


def were_applied(connection: BaseDatabaseWrapper, files: list[Path]) -> bool:
    """Return whether `files` were ever applied. A newer version's files may have been applied since."""
    with connection.cursor() as cursor:
        if not _is_there(cursor):
            return False
        cursor.execute(_EVER, [digest_of(files)])
        return bool(cursor.fetchone()[0])


def _apply(connection: BaseDatabaseWrapper, files: list[Path]) -> bool:
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        # Without anything to do, neither rights nor locks are needed.
        if _is_there(cursor) and _last(cursor) == (digest_of(files), _state(cursor)):
            return False
        cursor.execute(f"SET LOCAL lock_timeout = {_LOCK_TIMEOUT_MS}")
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        cursor.execute(_CREATE)
        for path in files:
            cursor.execute(path.read_text())
        cursor.execute(_RECORD, [digest_of(files), _state(cursor)])
    return True


def _is_there(cursor: CursorWrapper) -> bool:
    cursor.execute(_IS_THERE)
    return bool(cursor.fetchone()[0])


def _last(cursor: CursorWrapper) -> tuple[str, str] | None:
    cursor.execute(_LAST)
    return cast(tuple[str, str] | None, cursor.fetchone())


def _state(cursor: CursorWrapper) -> str:
    cursor.execute(_STATE)
    return cast(str, cursor.fetchone()[0])
