"""Test that the indexes of the operator's lists are built beside writers, and again after an interrupted attempt."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import AddIndex, CreateModel

NAME = "jobs_page_by_worker"
OURS = {"tenants", "inference", "jobs"}


@pytest.fixture
def before() -> Iterator[None]:
    """Migrate the database back to before these indexes."""
    call_command("migrate", "jobs", "0005", database="owner", skip_checks=True, verbosity=0)
    yield
    call_command("migrate", database="owner", skip_checks=True, verbosity=0)


def is_whole(name: str) -> bool | None:
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT indisvalid FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE relname = %s", [name]
        )
        row = cursor.fetchone()
    return row and bool(row[0])


@pytest.mark.long
@pytest.mark.usefixtures("before")
def test_a_broken_off_attempt_is_followed_by_a_whole_one() -> None:
    assert is_whole(NAME) is None
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"CREATE INDEX {NAME} ON jobs_page (worker)")
    call_command("migrate", "jobs", "0006", database="owner", skip_checks=True, verbosity=0)
    assert is_whole(NAME)
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [NAME])
        assert "WHERE" in cursor.fetchone()[0]


def test_no_migration_builds_an_index_while_writers_wait() -> None:
    """A migration may build an index normally only on a table that it has created itself, because that table is
    empty.
    """
    for (app, name), migration in MigrationLoader(None).disk_migrations.items():
        made = {one.name_lower for one in migration.operations if isinstance(one, CreateModel)}
        waiting = [
            one.index.name
            for one in migration.operations
            if type(one) is AddIndex and one.model_name_lower not in made
        ]
        assert app not in OURS or waiting == [], (
            f"{app}.{name}: use AddIndexConcurrently, with atomic = False"
        )
