"""Tests of migrations and of the SQL files that follow them, on databases of their own."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import AddIndex, CreateModel
from psycopg import sql
from psycopg.conninfo import make_conninfo

from inference.pipelines.declaration import read_graph
from maas.local.embedded.postgres import create_database
from maas.process.health import MigrationCheck, NotReady
from tenants.core.db.applied_sql import apply_sql, sql_files, were_applied
from tests import kept_cluster
from tests.services import RunAddress

OURS = {"tenants", "inference", "jobs"}
_MODELS = ("ServedModel", "ModelVersion")
ALIAS = "owner"
"""The alias with the right to migrate. In these tests it leads to another database."""

_CREATED_BY_FILES = """
SELECT 'function', p.proname, pg_get_functiondef(p.oid), p.proacl::text, p.proowner::regrole::text
FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proname LIKE 'maas_%'
UNION ALL SELECT 'trigger', t.tgrelid::regclass || '.' || t.tgname, pg_get_triggerdef(t.oid), NULL, NULL
FROM pg_trigger t WHERE NOT t.tgisinternal
UNION ALL SELECT 'policy', p.tablename || '.' || p.policyname, p.qual, p.with_check, p.roles::text FROM pg_policies p
UNION ALL SELECT 'right', c.relname, c.relacl::text, NULL, NULL
FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v')
UNION ALL SELECT 'right', a.attrelid::regclass || '.' || a.attname, a.attacl::text, NULL, NULL
FROM pg_attribute a WHERE a.attacl IS NOT NULL AND a.attrelid::regclass::text LIKE 'tenants_%'
ORDER BY 1, 2, 3
"""


def superuser(database: str = "postgres") -> psycopg.Connection[Any]:
    address = RunAddress.from_json(os.environ["MAAS_TEST_RUN"])
    return psycopg.connect(make_conninfo(address.superuser_url, dbname=database), autocommit=True)


@pytest.fixture(params=["template1"])
def fresh(request: pytest.FixtureRequest) -> Iterator[str]:
    """Create a database, empty or with the tables of a run, for the owner's connection."""
    name = f"maas_migrated_{uuid4().hex[:12]}"
    with superuser() as connection:
        create_database(connection, name, template=request.param)
    owner = connections[ALIAS]
    owner.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(owner.settings_dict, "NAME", name)
        yield name
        owner.close()
    with superuser() as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


with_tables = pytest.mark.parametrize("fresh", [kept_cluster.EMPTY], indirect=True)


def migrate(*target: str) -> None:
    call_command("migrate", *target, database=ALIAS, skip_checks=True, verbosity=0)


def query(statement: str, *values: str) -> list[tuple[Any, ...]]:
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(statement, list(values) or None)
        return cursor.fetchall() if cursor.description else []


def states() -> list[list[tuple[str, str]]]:
    """Return each state that a database may have had: the first one of our apps, and each later migration."""
    loader = MigrationLoader(None)
    plan = [key for leaf in loader.graph.leaf_nodes() for key in loader.graph.forwards_plan(leaf)]
    ours = [key for key in dict.fromkeys(plan) if key[0] in OURS]
    first = [key for key in ours if key[1] == "0001_initial"]
    return [first, *([key] for key in ours if key not in first)]


@pytest.mark.parametrize("state", states(), ids=lambda state: ".".join(state[-1]))
def test_every_earlier_state_becomes_the_newest(fresh: str, state: list[tuple[str, str]]) -> None:
    MigrationExecutor(connections[ALIAS]).migrate(state)
    migrate()
    with superuser(kept_cluster.EMPTY) as run:
        assert query(_CREATED_BY_FILES) == run.execute(_CREATED_BY_FILES).fetchall()
    assert were_applied(connections[ALIAS], sql_files())


def test_earlier_versions_of_parse_get_the_steps_that_they_had_in_the_code(fresh: str) -> None:
    before = ("inference", "0002_review_price")
    executor = MigrationExecutor(connections[ALIAS])
    executor.migrate([before])
    earlier = executor.loader.project_state(before).apps
    models, versions = (earlier.get_model("inference", name).objects.using(ALIAS) for name in _MODELS)
    for number, runtime in enumerate(("parse", "ocr"), 1):
        served = models.create(name=runtime, accepts=["document"], price_meter="page", price_micros=1500)
        config = {"release": runtime}
        versions.create(served_model=served, number=number, runtime=runtime, digest=runtime, config=config)
    migrate()
    with superuser(fresh) as run:  # Row security hides the rows from their owner.
        rows = run.execute("SELECT digest, runtime, config::text FROM inference_modelversion").fetchall()
    found = {digest: (kind, json.loads(stored)) for digest, kind, stored in rows}
    assert found["ocr"] == ("ocr", {"release": "ocr"})
    made, declared = found["parse"]
    assert (made, declared["release"]) == ("graph", "parse")
    assert read_graph(declared["graph"]).roles == {"ocr", "embed"}


@with_tables
def test_plain_migrate_without_rights_says_nothing_when_nothing_is_to_do(fresh: str) -> None:
    owner = connections[ALIAS]
    with owner.cursor() as cursor:
        cursor.execute("SET ROLE maas_app")
    assert not apply_sql(owner, sql_files())


@with_tables
def test_files_are_applied_only_when_they_changed_and_change_nothing_then(fresh: str) -> None:
    before = query(_CREATED_BY_FILES)
    assert not apply_sql(connections[ALIAS], sql_files())
    query("DELETE FROM maas_applied_sql")
    assert apply_sql(connections[ALIAS], sql_files())
    assert not apply_sql(connections[ALIAS], sql_files())
    assert query(_CREATED_BY_FILES) == before


@with_tables
def test_a_file_that_fails_leaves_everything_as_it_was(fresh: str, tmp_path: Path) -> None:
    before = query(_CREATED_BY_FILES)
    broken = tmp_path / "99_broken.sql"
    broken.write_text("DROP VIEW tenants_chosenlimits; SELECT nothing FROM nowhere;")
    with pytest.raises(ProgrammingError, match="nowhere"):
        apply_sql(connections[ALIAS], [*sql_files(), broken])
    assert query(_CREATED_BY_FILES) == before
    assert were_applied(connections[ALIAS], sql_files())


@with_tables
def test_files_wait_for_writers_and_make_none_wait_long(fresh: str) -> None:
    query("DELETE FROM maas_applied_sql")
    with superuser(fresh) as writer:
        writer.execute("BEGIN; LOCK TABLE jobs_page IN ROW EXCLUSIVE MODE")
        end = Timer(2.0, writer.execute, ["COMMIT"])
        end.start()
        assert apply_sql(connections[ALIAS], sql_files())
        end.join()
        assert writer.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


@with_tables
def test_a_process_of_the_version_before_is_ready_and_a_newer_one_is_not(
    fresh: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("maas.process.health.APP", ALIAS)
    newer = tmp_path / "99_newer.sql"
    newer.write_text("SELECT 1")
    with monkeypatch.context() as patch:
        patch.setattr("maas.process.health.sql_files", lambda: [*sql_files(), newer])
        with pytest.raises(NotReady, match="SQL files"):
            MigrationCheck()()
    apply_sql(connections[ALIAS], [*sql_files(), newer])
    assert MigrationCheck()() == "applied"


@with_tables
@pytest.mark.parametrize("app", sorted(OURS))
def test_a_database_with_unknown_migrations_is_left_alone(fresh: str, app: str) -> None:
    query("INSERT INTO django_migrations (app, name, applied) VALUES (%s, '0044_old', now())", app)
    query("DELETE FROM django_migrations WHERE app = 'sessions'")
    before = query("SELECT app, name FROM django_migrations ORDER BY id"), query(_CREATED_BY_FILES)
    with pytest.raises(CommandError, match=rf"does not know \({app}\.0044_old\).*before the first release"):
        migrate()
    assert before == (query("SELECT app, name FROM django_migrations ORDER BY id"), query(_CREATED_BY_FILES))


def test_no_migration_builds_an_index_while_writers_wait() -> None:
    """A migration may build an index normally only on a table that it has itself created, which is empty."""
    for (app, name), migration in MigrationLoader(None).disk_migrations.items():
        made = {one.name_lower for one in migration.operations if isinstance(one, CreateModel)}
        waiting = [
            one.index.name for one in migration.operations if type(one) is AddIndex and one.model_name_lower not in made
        ]
        assert app not in OURS or waiting == [], f"{app}.{name}: use AddIndexConcurrently, with atomic = False"
