"""Starts one PostgreSQL and two Redis servers for a run of the tests, on private sockets of its own."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

import psycopg

from maas.local.embedded.folders import ScratchFolders, private_folder
from maas.local.embedded.postgres import PostgresServer, create_database
from maas.local.embedded.redis import RedisRole, RedisServer
from maas.local.launch.services import EmbeddedServer
from maas.local.launch.state_files import keep_secrets
from maas.local.supervisor.children import ChildSpec, spawn
from tests import kept_cluster
from tests.kept_cluster import KeptCluster

PROJECT = kept_cluster.PROJECT
_TIMEOUT_S = 60.0
_ABSENT = ("gevent", "jinja2", "pygments", "rich")
"""Packages that come with the tools of tests alone. Libraries of the product import them where they find them, which
takes a fifth of each of a run's many starts.
"""


def without_product(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the caller's variables without those that configure the product, so that tests run alike everywhere."""
    return {
        name: value
        for name, value in variables.items()
        if not name.startswith("MAAS_") or name.startswith("MAAS_TEST_")
    }


@dataclass(frozen=True, slots=True)
class _Started:
    spec: ChildSpec
    process: subprocess.Popen[bytes]


@dataclass(frozen=True, slots=True)
class RunAddress:
    """The address by which each process of a run finds its own database and Redis numbers on the run's servers."""

    NUMBER: ClassVar[str] = "{number}"

    superuser_url: str
    variables: dict[str, str]
    """The variables, with `{number}` where processes differ."""
    absent: str
    """The folder of modules that cannot be imported."""

    def environment(self, number: int) -> dict[str, str]:
        return {name: value.replace(self.NUMBER, str(number)) for name, value in self.variables.items()}

    def create_database(self, number: int) -> None:
        """Copy the migrated database for process `number`."""
        with psycopg.connect(self.superuser_url, autocommit=True) as connection:
            create_database(connection, f"maas_{number}", template=kept_cluster.EMPTY)

    def hide_packages(self) -> None:
        """Let the processes that this one starts find only the packages that a product has."""
        os.environ["PYTHONPATH"] = self.absent

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "RunAddress":
        return cls(**json.loads(text))


class RunServices:
    """The servers that live as long as one pytest run, with a migrated database to copy."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="maas-test-"))
        private_folder(self.home / "run")
        self._absent = private_folder(self.home / "absent")
        for name in _ABSENT:
            (self._absent / f"{name}.py").write_text("raise ImportError\n")
        self._kept = KeptCluster()
        self._is_migrated = self._kept.give_to(self.home)
        self._scratch = ScratchFolders(self.home / "run" / "scratch.json")
        self._postgres = PostgresServer(self.home, self._scratch, durable=False)
        self._durable = RedisServer(self.home, RedisRole.DURABLE, self._scratch)
        self._cache = RedisServer(self.home, RedisRole.CACHE, self._scratch)
        self._started: list[_Started] = []

    def start(self) -> None:
        """Start the servers with the product's tables, which processes of the run copy."""
        self._start(self._durable, self._cache)
        self._start(self._postgres)
        self._postgres.provision()
        if not self._is_migrated:
            self._manage("migrate", "--database=owner", "--skip-checks", "-v0")
            with psycopg.connect(self._postgres.superuser_url(), autocommit=True) as connection:
                create_database(connection, kept_cluster.EMPTY, template="maas")
            self._manage("seed", "-v0")
            self._stop_last()
            self._kept.keep(self.home)
            self._start(self._postgres)

    def _start(self, *servers: EmbeddedServer) -> None:
        with (self.home / "services.log").open("ab") as log:
            for spec in [server.prepare() for server in servers]:
                self._started.append(_Started(spec, spawn(spec, log.fileno())))
        for server in servers:
            _wait_until_ready(server, self.home / "services.log")

    def _manage(self, *arguments: str) -> None:
        """Run a command on the database that is stored."""
        env = without_product(os.environ) | self.address().environment(0) | {"MAAS_DATABASE_URL": self._postgres.url}
        command = [sys.executable, str(PROJECT / "manage.py"), *arguments]
        subprocess.run(command, env=env, cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)

    def address(self) -> RunAddress:
        number = RunAddress.NUMBER
        return RunAddress(
            superuser_url=self._postgres.superuser_url(),
            absent=str(self._absent),
            variables=keep_secrets(self.home)
            | {
                "MAAS_HOME": str(self.home),
                "MAAS_DATABASE_URL": self._postgres.url_of(f"maas_{number}"),
                "MAAS_REDIS_URL": self._durable.url_of(0).replace("db=0", f"db={number}"),
                "MAAS_CACHE_URL": self._cache.url_of(0).replace("db=0", f"db={number}"),
                "MAAS_LOG_LEVEL": "WARNING",
                kept_cluster.VARIABLE: str(self._kept.path),
            },
        )

    def stop(self) -> None:
        while self._started:
            self._stop_last()
        self._scratch.remove_all()
        shutil.rmtree(self.home, ignore_errors=True)

    def _stop_last(self) -> None:
        started = self._started.pop()
        started.process.send_signal(started.spec.stop_signal)
        started.process.wait(_TIMEOUT_S)


def _wait_until_ready(server: EmbeddedServer, log: Path) -> None:
    deadline = time.monotonic() + _TIMEOUT_S
    while not server.is_ready():
        if time.monotonic() > deadline:
            raise TimeoutError(f"a test server did not start within {_TIMEOUT_S:g} s:\n{log.read_text()}")
        time.sleep(0.02)
