"""Tests of a backup with embeddings in a database that has no pgvector."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from psycopg import sql
from psycopg.conninfo import make_conninfo

from jobs.search.services import EMBEDDINGS as TABLE
from maas.local.embedded.postgres import create_database
from maas.ops.backup import programs
from maas.ops.backup.take import one_moment
from tenants.core.db.roles import OPERATOR_ROLE
from tests.fixtures import unique
from tests.services import RunAddress


def as_superuser(database: str) -> str:
    address = RunAddress.from_json(os.environ["MAAS_TEST_RUN"])
    return make_conninfo(address.superuser_url, dbname=database)


@pytest.fixture
def new_database() -> Iterator[str]:
    """Yield a database without pgvector, though the server has it."""
    name = unique("restored")
    with psycopg.connect(as_superuser("postgres"), autocommit=True) as connection:
        create_database(connection, name, template="template0")
        yield as_superuser(name)
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def dumped(tmp_path: Path) -> Path:
    into = tmp_path / "database.dump"
    with one_moment() as snapshot:
        programs.dump(settings.MAAS_DATABASE_URL, into, snapshot=snapshot, role=OPERATOR_ROLE)
    return into


def is_there(url: str, relation: str) -> bool:
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT to_regclass(%s) IS NOT NULL", [relation]).fetchone()
    return bool(found and found[0])


def test_all_but_the_embeddings_is_loaded_where_there_is_no_pgvector(dumped: Path, new_database: str) -> None:
    programs.load(new_database, dumped, chosen=programs.without_embeddings)
    assert is_there(new_database, "jobs_pagetext")
    assert not is_there(new_database, TABLE)
    with psycopg.connect(new_database) as connection:
        extensions = connection.execute("SELECT count(*) FROM pg_extension WHERE extname = 'vector'").fetchone()
    assert extensions == (0,)


def test_a_database_that_offers_pgvector_takes_them(dumped: Path, new_database: str) -> None:
    assert programs.takes_embeddings(new_database)
    programs.load(new_database, dumped)
    assert is_there(new_database, TABLE)
