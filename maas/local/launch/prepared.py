"""Records in the database which code and settings prepared it, so that a start that would change nothing skips the
preparation.

Two steps precede serving: tables are migrated, and built-in models and the demo tenant are created. They take seconds
to look for work and usually find none. The work that they would find depends on the product's code, its packages, its
settings, and the migrations that the database has had.
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
    """Return a digest of code, packages and settings. If the digest differs, the database is prepared again.

    The settings contain passwords. The digest is keyed, so that guesses cannot be tested on it without the secret.
    """
    settings = [f"{name}={value}" for name, value in variables.items() if name.startswith(_STARTS_OF_SETTINGS)]
    packages = (name for name in os.listdir(sysconfig.get_path("purelib")) if name.endswith(".dist-info"))
    facts = [*sorted(settings), *sorted(packages), *sorted(_code())]
    return hmac.digest(secret.encode(), "\n".join(facts).encode(), "sha256").hex()


def is_prepared(database_url: str, expected: str) -> bool:
    """Return whether exactly this preparation was recorded. A database that cannot be read counts as not prepared."""
    try:
        with psycopg.connect(database_url, connect_timeout=_TIMEOUT_S) as connection:
            _limit(connection)
            row = connection.execute(_APPLIED, [expected]).fetchone()
    except psycopg.Error:
        # The table or the database does not exist yet. The steps that follow create it, or report the error.
        return False
    return row is not None and row[0] is not None and row[0] == row[1]


def note_prepared(database_url: str, fingerprint: str) -> None:
    """Record the preparation as a comment on the migrations table, so that it is lost and restored with the data."""
    with psycopg.connect(database_url, connect_timeout=_TIMEOUT_S) as connection:
        _limit(connection)
        row = connection.execute(_APPLIED, [fingerprint]).fetchone()
        assert row is not None
        comment = sql.Literal(row[1])
        connection.execute(sql.SQL("COMMENT ON TABLE django_migrations IS {}").format(comment))


def _limit(connection: psycopg.Connection) -> None:
    """Set a timeout on statements, because the supervisor watches its children in the same thread."""
    connection.execute(f"SET LOCAL statement_timeout = {_TIMEOUT_S * 1000}")


def _code() -> Iterator[str]:
    """Yield every file of the product with size and modification time, which takes some hundredths of a second."""
    for folder in _CODE:
        for directory, folders, files in os.walk(PROJECT / folder):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in files:
                stat = Path(directory, name).stat()
                yield f"{directory}/{name} {stat.st_size} {stat.st_mtime_ns}"
