"""Fills a database with millions of pages, their jobs, events, texts, usage and ledger, as if they were a year old.

The rows are written by the database itself, without triggers, and their indexes are built afterwards. What triggers
would have added up is added up at the end, so that the books are in order.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import psycopg

_FOLDER = Path(__file__).parent
TABLES = (
    "jobs_document",
    "jobs_job",
    "jobs_page",
    "jobs_event",
    "jobs_pagetext",
    "tenants_usagerecord",
    "tenants_ledgertransaction",
    "tenants_ledgerentry",
)
Values = dict[str, int | UUID]
PAGES_A_JOB = 10
_JOBS_AT_ONCE = 20_000
_INDEXES = """
SELECT format('DROP INDEX %%I', index.relname), pg_get_indexdef(index.oid)
FROM pg_index JOIN pg_class index ON index.oid = indexrelid
WHERE indrelid = ANY(%s::regclass[])
  AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
"""
_SETTINGS = """
SET session_replication_role = replica; SET synchronous_commit = off; SET work_mem = '256MB';
SET maintenance_work_mem = '1GB'
"""


@dataclass(frozen=True, slots=True)
class Size:
    """How much is written. Where the disk is small, calls, events and texts are sampled: they are of some jobs only."""

    pages: int
    calls_a_job: int = 10
    """Usage records of synchronous calls for each job, beside those of its pages."""
    event_jobs: int = 1
    """Every such job has its events."""
    text_jobs: int = 10
    """Every such job has its texts for the search."""
    tenants: int = 1_000


def fill(superuser_url: str, tenant_id: UUID, size: Size, say: Callable[[str], None] = print) -> None:
    """Fill the database. Half of all goes to the tenant, and the models are those that the database has."""
    jobs = size.pages // PAGES_A_JOB
    with psycopg.connect(superuser_url, autocommit=True) as database:
        database.execute(_SETTINGS)
        indexes = database.execute(_INDEXES, [list(TABLES)]).fetchall()
        for drop, _ in indexes:
            database.execute(drop)
        values: Values = {
            "jobs": jobs,
            "tenant": tenant_id,
            "tenants": size.tenants,
            "calls": size.calls_a_job,
            "event_jobs": size.event_jobs,
            "text_jobs": size.text_jobs,
        }
        _run(database, "prepare.sql", values)
        for first, last in _parts(jobs):
            _run(database, "rows.sql", {**values, "first": first, "last": last})
            say(f"{last * PAGES_A_JOB:,} pages written")
        for _, create in indexes:
            database.execute(create)
        say(f"{len(indexes)} indexes built")
        _run(database, "finish.sql", {})


def _parts(jobs: int) -> Iterator[tuple[int, int]]:
    for first in range(1, jobs + 1, _JOBS_AT_ONCE):
        yield first, min(first + _JOBS_AT_ONCE - 1, jobs)


def _run(database: psycopg.Connection, name: str, values: Values) -> None:
    for statement in (_FOLDER / name).read_text().split(";\n"):
        psycopg.ClientCursor(database).execute(statement.encode(), values)


def sizes(superuser_url: str) -> Iterator[str]:
    """Yield a line for each table: its rows, its size and that of its indexes."""
    with psycopg.connect(superuser_url) as database:
        for table in TABLES:
            row = database.execute(
                """SELECT reltuples::bigint, pg_size_pretty(pg_table_size(oid)), pg_size_pretty(pg_indexes_size(oid))
                FROM pg_class WHERE oid = %s::regclass""",
                [table],
            ).fetchone()
            assert row is not None
            yield f"{table}: {row[0]:,} rows, {row[1]}, indexes {row[2]}"
