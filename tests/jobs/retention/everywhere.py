"""Searches for a word in every column of every table, and in every file in storage."""

from pathlib import Path

from django.conf import settings
from django.db import connections

from tenants.core.db.unit_of_work import OPERATOR

_TABLES = """
SELECT c.oid::regclass::text FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
  AND has_table_privilege(c.oid, 'SELECT')
"""


def tables_with(word: str) -> list[str]:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_TABLES)
        tables = [name for (name,) in cursor.fetchall()]
        assert "jobs_page" in tables
        assert "jobs_event" in tables
        found = []
        for table in tables:
            cursor.execute(
                f"SELECT EXISTS (SELECT FROM {table} AS t WHERE t.*::text ILIKE %s)",  # as Postgres names it
                [f"%{word}%"],
            )
            if cursor.fetchone()[0]:
                found.append(table)
    return sorted(found)


def files_with(word: str, *folders: Path) -> list[Path]:
    places = folders or (settings.MAAS_HOME,)
    files = (path for place in places for path in Path(place).rglob("*") if path.is_file())
    return [path for path in files if word.encode() in path.read_bytes() or word in path.name]
