"""Test that a position in a tenant's stream survives a crash of the database. A PostgreSQL of the test's own is
killed.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from django.db import connections, transaction
from psycopg.conninfo import conninfo_to_dict

from jobs.documents.job_selectors import tenant_events_after
from maas.local.embedded.postgres import PostgresServer
from tenants.core.db.unit_of_work import APP, OPERATOR
from tests import kept_cluster
from tests.jobs.conftest import Desk
from tests.maas.local.embedded.running import running, scratch_of


@dataclass
class OwnDatabase:
    """A database that this thread's services use instead of that of the test run."""

    home: Path
    server: PostgresServer
    process: subprocess.Popen[bytes] | None = None
    _running: AbstractContextManager[subprocess.Popen[bytes]] | None = None

    def start(self) -> None:
        self._running = running(self.server, self.home.parent / "log")
        self.process = self._running.__enter__()

    def stop(self) -> None:
        connections.close_all()
        if self._running is not None:
            self._running.__exit__(None, None, None)

    def crash(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self.stop()
        self.start()


@pytest.fixture
def own_database(tmp_path: Path) -> Iterator[OwnDatabase]:
    home = tmp_path / "home"
    assert kept_cluster.give(Path(os.environ[kept_cluster.VARIABLE]), home)
    own = OwnDatabase(home, PostgresServer(home, scratch_of(home)))
    own.start()
    own.server.provision()
    # Data that is written without waiting might otherwise be on the disk by chance, a fifth of a second later.
    with psycopg.connect(own.server.superuser_url(), autocommit=True) as superuser:
        superuser.execute("ALTER SYSTEM SET wal_writer_delay = '10s'")
        superuser.execute("SELECT pg_reload_conf()")
    given = conninfo_to_dict(own.server.url)
    before = {alias: connections[alias].settings_dict for alias in (APP, OPERATOR)}
    connections.close_all()
    for alias, settings in before.items():
        place = {"HOST": given["host"], "NAME": given["dbname"], "USER": given["user"]}
        connections[alias].settings_dict = {
            **settings,
            **place,
            "PORT": given.get("port", ""),
            "PASSWORD": given["password"],
        }
    yield own
    own.stop()
    for alias, settings in before.items():
        connections[alias].settings_dict = settings


def release_without_waiting(times: int) -> None:
    """Run transactions that do not wait for the disk, like those that release pages and register them for identical
    ones.
    """
    for _ in range(times):
        with transaction.atomic(using=OPERATOR), connections[OPERATOR].cursor() as cursor:
            cursor.execute("SELECT set_config('synchronous_commit', 'off', true)")
            cursor.execute("SELECT pg_current_xact_id()")


@pytest.mark.parametrize("jobs_before", [0, 1])
def test_what_happens_after_a_crash_of_the_database_comes_after_every_place_that_was_given_out(
    own_database: OwnDatabase, desk: Desk, jobs_before: int
) -> None:
    for _ in range(jobs_before):
        desk.submit()
    release_without_waiting(50)
    cursor = tenant_events_after(desk.identity, None).cursor
    own_database.crash()
    job = desk.submit()
    events = tenant_events_after(desk.identity, cursor).events
    assert (job.id, "job.queued") in [(event.job_id, event.type) for event in events]
