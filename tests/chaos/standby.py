"""A second PostgreSQL of a run. It has each commit of the first before the client gets its answer, and replaces it."""

import asyncio
import json
import os
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

from maas.local.embedded.folders import ScratchFolders, private_folder
from maas.local.embedded.installation import find_postgres, give_tree, server_account
from maas.local.embedded.postgres import PostgresServer
from maas.local.supervisor.children import ChildSpec
from maas.local.supervisor.supervisor import Supervisor

from .line import Line
from .wires import through, way_to

STANDBY = "standby"
"""The name of its process, and of the standby that commits wait for."""
_TIMEOUT_S = 120.0
_LOOK_EVERY_S = 0.05
# A primary that was killed is back within a second.
_SETTINGS = """
primary_conninfo = '{source}?application_name={name}'
wal_retrieve_retry_interval = '200ms'
"""
_SYNCHRONOUS = f"ALTER SYSTEM SET synchronous_standby_names = '{STANDBY}'"
_FLUSHED = "SELECT pg_current_wal_flush_lsn()::text"
_HAS = """
SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming' AND flush_lsn >= %s::pg_lsn
"""


class Standby:
    """The standby of the PostgreSQL in `home`. It is in the same folder, so that both share a disk that is filled."""

    def __init__(self, home: Path, url: str, scratch: ScratchFolders, supervisor: Supervisor) -> None:
        self._primary = home / "postgres"
        self._primary_url = _superuser_url(url, self._primary)
        self._home = self._primary / STANDBY
        self._archive = archive_in(home)
        self._scratch = scratch
        self._supervisor = supervisor
        # The account of a server may not reach the socket of the other.
        self._line = Line(way_to(url))
        self._server: PostgresServer

    async def start(self) -> None:
        """Copy the primary, follow it, and let each commit wait for the copy from now on."""
        await self._line.open()
        await self._copy()
        self._server = PostgresServer(self._home, self._scratch, archive=self._archive)
        self._supervisor.start(replace(self._server.prepare(), name=STANDBY))
        # Only now, because the copy must not wait for a standby of its own.
        await _ask(self._primary_url, _SYNCHRONOUS)
        await _ask(self._primary_url, "SELECT pg_reload_conf()")
        await self.until_in_sync()

    def close(self) -> None:
        self._line.close()

    async def until_in_sync(self) -> None:
        """Wait until the standby has all that the primary shows.

        After a crash, a primary shows commits that no standby has yet, and no client got an answer for. A standby that
        has not caught up since then must not be promoted.
        """
        async with asyncio.timeout(_TIMEOUT_S):
            while True:
                with suppress(psycopg.OperationalError):
                    return await self._catch_up()
                await asyncio.sleep(_LOOK_EVERY_S)

    def fence_primary(self) -> None:
        """Make sure that the primary, once it has ended, starts as a standby, which accepts no writes."""
        mark = self._primary / "data" / "standby.signal"
        mark.touch()
        owner = mark.parent.stat()
        os.chown(mark, owner.st_uid, owner.st_gid)

    async def promote(self) -> str:
        """Let the standby accept writes, and return its URL."""
        async with asyncio.timeout(_TIMEOUT_S):
            while not self._server.is_ready():
                with suppress(psycopg.OperationalError):
                    await _ask(self._server.superuser_url(), "SELECT pg_promote()")
                await asyncio.sleep(_LOOK_EVERY_S)
        return self._server.url

    async def primary_accepts_writes(self) -> bool:
        with suppress(psycopg.OperationalError):
            return await _ask(self._primary_url, "SELECT pg_is_in_recovery()") is False
        return False

    async def _catch_up(self) -> None:
        async with await psycopg.AsyncConnection.connect(self._primary_url, autocommit=True) as connection:
            flushed = await _value(connection, _FLUSHED)
            while not await _value(connection, _HAS, flushed):  # noqa: ASYNC110  # Postgres sets no event
                await asyncio.sleep(_LOOK_EVERY_S)

    async def _copy(self) -> None:
        data = private_folder(private_folder(self._home) / "postgres") / "data"
        shutil.copy(self._primary / "credentials.json", data.parent)
        program = Path(find_postgres().postgres).with_name("pg_basebackup")
        argv = (str(program), "--checkpoint=fast", "--no-sync", "-D", str(data), "-d", self._primary_url)
        await self._supervisor.run(ChildSpec("pg_basebackup", argv, env={"LC_ALL": "C"}))
        with (data / "postgresql.auto.conf").open("a") as file:
            file.write(_SETTINGS.format(source=through(self._primary_url, self._line.port), name=STANDBY))
        (data / "standby.signal").touch()
        account = server_account(self._primary / "data")
        if account is not None:
            give_tree(data, account.uid, account.uid)


def archive_in(home: Path) -> Path:
    """Return the archive that both servers use. The embedded PostgreSQL can be followed only if it has an archive."""
    return home / "archive"


def _superuser_url(url: str, folder: Path) -> str:
    password = json.loads((folder / "credentials.json").read_text())["superuser_password"]
    return urlunsplit(urlsplit(url)._replace(netloc=f"postgres:{password}@", path="/postgres"))


async def _ask(url: str, query: str) -> object:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        return await _value(connection, query)


async def _value(connection: psycopg.AsyncConnection, query: str, *values: object) -> object:
    found = await connection.execute(query, values)
    return (await found.fetchone() or [None])[0] if found.description else None
