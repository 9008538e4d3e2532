"""Notes in the database by what it was prepared, so that a start which would change nothing prepares nothing.

Two steps go before the product serves: tables are migrated, built-in models and the demo tenant are made. They look for
what there is to do, and mostly find nothing, for seconds. What they would find depends on the product's code, its
packages and its settings, and on the migrations that the database has had.
"""

import hmac
import os
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path

import psycopg
from psycopg import sql

from maas.local.launch.children import PROJECT

_CODE = ("maas", "jobs", "inference", "tenants")
_STARTS_OF_SETTINGS = ("MAAS_", "DJANGO_")
_TIMEOUT_S = 5
_APPLIED = """
    SELECT obj_description('django_migrations'::regclass, 'pg_class') AS noted,
        %s::text || ' ' || md5(string_agg(app || '.' || name, ' ' ORDER BY app, name)) AS now
    FROM django_migrations
"""


def fingerprint(variables: Mapping[str, str], secret: str) -> str:
    """Sum up code, packages and settings: whatever is another fingerprint is prepared anew.

    Settings have passwords in them, so nobody without the secret can try guesses on it.
    """
    settings = [
        f"{name}={value}" for name, value in variables.items() if name.startswith(_STARTS_OF_SETTINGS)
    ]
    packages = (name for name in os.listdir(sysconfig.get_path("purelib")) if name.endswith(".dist-info"))
    facts = [*sorted(settings), *sorted(packages), *sorted(_code())]
    return hmac.digest(secret.encode(), "\n".join(facts).encode(), "sha256").hex()


def is_prepared(database_url: str, expected: str) -> bool:
    """Ask whether the database was prepared by just this; a database that cannot say is prepared by the usual steps."""
    try:
        with psycopg.connect(database_url, connect_timeout=_TIMEOUT_S) as connection:
            _limit(connection)
            row = connection.execute(_APPLIED, [expected]).fetchone()
    except psycopg.Error:
        # No such table yet, or no database: the steps that follow make it, or say what is wrong.
        return False
    return row is not None and row[0] is not None and row[0] == row[1]


def note_prepared(database_url: str, fingerprint: str) -> None:
    """Note it where it is lost and restored together with what it is said of."""
    with psycopg.connect(database_url, connect_timeout=_TIMEOUT_S) as connection:
        _limit(connection)
        row = connection.execute(_APPLIED, [fingerprint]).fetchone()
        assert row is not None
        comment = sql.Literal(row[1])
        connection.execute(sql.SQL("COMMENT ON TABLE django_migrations IS {}").format(comment))


def _limit(connection: psycopg.Connection) -> None:
    """Wait for no lock: the supervisor looks after its children in the same thread."""
    connection.execute(f"SET LOCAL statement_timeout = {_TIMEOUT_S * 1000}")


def _code() -> Iterator[str]:
    """Every file of the product, and when it was changed; a look at them all takes some hundredths of a second."""
    for folder in _CODE:
        for place, folders, files in os.walk(PROJECT / folder):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in files:
                stat = Path(place, name).stat()
                yield f"{place}/{name} {stat.st_size} {stat.st_mtime_ns}"
