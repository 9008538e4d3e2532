"""Two whole products on this machine as cells, each with its own servers, and a link to each for the other."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import redis
from psycopg import sql

from maas.local.embedded.folders import ScratchFolders
from maas.local.embedded.postgres import PostgresServer
from maas.local.launch.state_files import read_map
from tests.kept_cluster import PROJECT
from tests.live_stack import LiveStack
from tests.maas.web.cells.cell_settings import cell_variables
from tests.maas.web.cells.link import Link
from tests.services import without_product

NAMES = ("eu", "us")


@dataclass(frozen=True)
class WholeCell:
    name: str
    home: Path
    url: str
    tenant_id: str
    key: str
    link: Link
    """The way of other cells to this one."""

    def places_of(self, marker: str) -> list[str]:
        """Return where the text is in this cell: in its files, logs and spool, its PostgreSQL and its Redis servers."""
        return [*self._files(marker.encode()), *self._tables(marker), *self._redis(marker.encode())]

    def _files(self, marker: bytes) -> Iterator[str]:
        for path in (*self.home.parent.glob(f"{self.name}*.log"), *self.home.rglob("*")):
            if path.is_file() and self.home / "postgres" not in path.parents and marker in path.read_bytes():
                yield f"file {path}"

    def _tables(self, marker: str) -> Iterator[str]:
        url = PostgresServer(
            self.home, ScratchFolders(self.home / "run" / "scratch-of-this-search.json")
        ).superuser_url("maas")
        with psycopg.connect(url) as connection:
            for schema, table in connection.execute(
                "SELECT schemaname, tablename FROM pg_tables WHERE schemaname = 'public'"
            ).fetchall():
                query = sql.SQL("SELECT EXISTS (SELECT FROM {} AS r WHERE r::text LIKE %s OR r::text LIKE %s)").format(
                    sql.Identifier(schema, table)
                )
                row = connection.execute(query, [f"%{marker}%", f"%{marker.encode().hex()}%"]).fetchone()
                if row is not None and row[0]:
                    yield f"table {table}"

    def _redis(self, marker: bytes) -> Iterator[str]:
        services = read_map(self.home / "run" / "services.json")
        for name in ("MAAS_REDIS_URL", "MAAS_CACHE_URL"):
            with redis.Redis.from_url(services[name]) as client:
                for key in client.scan_iter(count=1000):
                    dumped = client.dump(key) or b""
                    if marker in bytes(key) or marker in bytes(dumped):
                        yield f"{name} {key!r}"


@contextmanager
def whole_cells(folder: Path, *, one_way_s: float) -> Iterator[tuple[WholeCell, WholeCell]]:
    """Start both cells, each with an account."""
    stacks = {name: LiveStack(folder / name / "var", log=f"{name}.log") for name in NAMES}
    with ExitStack() as running:
        links = {name: running.enter_context(Link(stacks[name].port, delay_s=one_way_s)) for name in NAMES}
        cells = ",".join(f"{name}={links[name].url}" for name in NAMES)
        for name, stack in stacks.items():
            (folder / name).mkdir()
            stack.give(cell_variables(name, cells))
            running.enter_context(stack)
        for stack in stacks.values():
            stack.wait_until_ready()
        one, other = (_cell(name, stack, links[name]) for name, stack in stacks.items())
        yield one, other


def _cell(name: str, stack: LiveStack, link: Link) -> WholeCell:
    """Return the cell with an account, which is made as an operator makes it."""
    command = [sys.executable, "manage.py", "tenant_create", "--cell", name]
    variables = {**without_product(os.environ), **stack.variables, "MAAS_HOME": str(stack.home)}
    made = json.loads(
        subprocess.run(
            [*command, "--name", f"Account {name}", "--email", f"owner@{name}.example"],
            cwd=PROJECT,
            env=variables,
            capture_output=True,
            check=True,
        ).stdout
    )
    return WholeCell(name, stack.home, stack.url, made["tenant_id"], made["api_key"], link)
