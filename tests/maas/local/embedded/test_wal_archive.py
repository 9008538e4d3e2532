"""Tests that the archive of the embedded PostgreSQL brings back any moment, and feeds a standby that takes over."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from maas.local.embedded.installation import find_postgres, give_tree, server_account
from maas.local.embedded.postgres import PostgresServer
from maas.local.launch.options import LaunchOptions
from maas.process.errors import InvalidOption
from tests.maas.local.embedded.running import postgres_in, running, scratch_of
from tests.waiting import eventually


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return tmp_path / "an 'archive'"


class Standby(PostgresServer):
    """A server that need not accept writes."""

    def is_ready(self) -> bool:
        return self.answers()


def archiving(home: Path, archive: Path) -> PostgresServer:
    return PostgresServer(home, scratch_of(home), archive=archive)


@pytest.fixture
def primary(tmp_path: Path, archive: Path) -> Iterator[PostgresServer]:
    server = archiving(tmp_path / "primary", archive)
    with running(server, tmp_path / "primary.log"):
        server.provision()
        with psycopg.connect(server.url) as connection:
            connection.execute("CREATE TABLE written (number int PRIMARY KEY)")
        yield server


def write(server: PostgresServer, numbers: range) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        for number in numbers:
            connection.execute("INSERT INTO written VALUES (%s)", [number])


def written(server: PostgresServer) -> list[int]:
    with psycopg.connect(server.url) as connection:
        return [number for (number,) in connection.execute("SELECT number FROM written ORDER BY 1")]


def finish_segment(server: PostgresServer, archive: Path) -> str:
    """End the segment that was written to, wait until it is archived, and return the server's time before."""
    with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
        row = connection.execute("SELECT now()::text, pg_walfile_name(pg_current_wal_lsn())").fetchone()
        assert row is not None
        connection.execute("SELECT pg_switch_wal()")
    eventually((archive / row[1]).exists, "the segment is archived")
    return str(row[0])


def copied(server: PostgresServer, primary_home: Path, home: Path, mark: str) -> None:
    """Make a base backup in a home of its own, as docs/operating.md says."""
    data = home / "postgres" / "data"
    data.parent.mkdir(parents=True)
    program = Path(find_postgres().postgres).with_name("pg_basebackup")
    subprocess.run([program, "--checkpoint=fast", "-X", "none", "-D", data, "-d", server.superuser_url()], check=True)
    shutil.copy(primary_home / "postgres" / "credentials.json", data.parent)
    (data / mark).touch()
    account = server_account(primary_home / "postgres" / "data")
    if account is not None:
        give_tree(data, account.uid, account.uid)


def test_a_moment_of_the_past_comes_back(primary: PostgresServer, archive: Path, tmp_path: Path) -> None:
    home = tmp_path / "restored"
    write(primary, range(5))
    copied(primary, tmp_path / "primary", home, "recovery.signal")
    write(primary, range(5, 10))
    moment = finish_segment(primary, archive)
    write(primary, range(10, 15))
    finish_segment(primary, archive)
    with (home / "postgres" / "data" / "postgresql.auto.conf").open("a") as file:
        file.write(f"recovery_target_time = '{moment}'\nrecovery_target_action = 'promote'\n")
    restored = archiving(home, archive)
    with running(restored, tmp_path / "restored.log"):
        assert written(restored) == list(range(10))
        write(restored, range(100, 101))
    assert written(primary) == list(range(15))


def test_a_standby_takes_over_from_a_killed_primary(tmp_path: Path, archive: Path) -> None:
    server, home = archiving(tmp_path / "primary", archive), tmp_path / "standby"
    with running(server, tmp_path / "primary.log") as process:
        server.provision()
        with psycopg.connect(server.url) as connection:
            connection.execute("CREATE TABLE written (number int PRIMARY KEY)")
        copied(server, tmp_path / "primary", home, "standby.signal")
        standby = Standby(home, scratch_of(home), archive=archive)
        with running(standby, tmp_path / "standby.log"):
            for first in range(0, 60, 20):
                write(server, range(first, first + 20))
                finish_segment(server, archive)
            write(server, range(60, 80))
            assert not PostgresServer.is_ready(standby)
            os.kill(process.pid, signal.SIGKILL)
            eventually(lambda: written(standby)[:60] == list(range(60)), "the standby has read the archive")
            with psycopg.connect(standby.superuser_url(), autocommit=True) as connection:
                connection.execute("SELECT pg_promote(true, 60)")
            assert PostgresServer.is_ready(standby)
            found = written(standby)
            # Nothing that was archived is lost, and nothing is there without what came before it.
            assert found == list(range(len(found)))
            assert len(found) >= 60
            write(standby, range(1000, 1001))


def test_without_an_archive_nothing_is_archived(tmp_path: Path) -> None:
    server = postgres_in(tmp_path / "home")
    with running(server, tmp_path / "log"), psycopg.connect(server.superuser_url()) as connection:
        assert connection.execute("SHOW archive_mode").fetchone() == ("off",)


def test_the_archive_is_an_absolute_path() -> None:
    assert LaunchOptions.read({}).wal_archive is None
    assert LaunchOptions.read({"MAAS_WAL_ARCHIVE": "/backup/wal"}).wal_archive == Path("/backup/wal")
    with pytest.raises(InvalidOption, match="not an absolute path"):
        LaunchOptions.read({"MAAS_WAL_ARCHIVE": "wal"})
