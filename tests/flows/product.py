"""A running product as its operator sees it: its commands, processes, rows and files."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import psutil  # type: ignore[import-untyped]
import psycopg

from tests.fixtures import unique
from tests.kept_cluster import PROJECT
from tests.live_stack import RunningStack
from tests.services import without_product
from tests.waiting import eventually

from . import commands
from .caller import Caller

_REVOKE = """
from tenants.core.db.unit_of_work import operator_work
from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import revoke_key
with operator_work():
    for key in ApiKey.objects.filter(tenant_id="{tenant}"):
        revoke_key(key_id=key.id)
"""
_NEW_KEY = """
from tenants.core.db.unit_of_work import operator_work
from tenants.api_keys.services import create_key
with operator_work():
    print(create_key(tenant_id="{tenant}", name="developer", scopes="{scopes}".split()).text)
"""


@dataclass(frozen=True)
class Account:
    """A tenant, its owner's login and its first key."""

    tenant_id: str
    email: str
    password: str
    key: str


@dataclass(frozen=True)
class Product:
    running: RunningStack
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.running.home

    def caller(self, account: Account | None = None) -> Caller:
        """Return the program of the demo tenant, or of this account."""
        return Caller(self.running.url, account.key if account else self.running.demo["MAAS_API_KEY"])

    def command(self, *arguments: str, output: int | IO[bytes] = subprocess.PIPE) -> subprocess.Popen[str]:
        """Start a `manage.py` command, which finds this product through its folder."""
        argv = [sys.executable, "manage.py", *arguments]
        return subprocess.Popen(
            argv,
            cwd=PROJECT,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            text=True,
        )

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        services = self.home / "run" / "services.json"
        return commands.run(arguments, self._environment(), services.read_text() if services.exists() else "")

    def _environment(self) -> dict[str, str]:
        return without_product(os.environ) | {**self.variables, "MAAS_HOME": str(self.home)}

    def create_account(self, name: str) -> Account:
        email = f"{unique(name.lower())}@example.com"
        done = self.manage("tenant_create", "--name", name, "--email", email)
        assert done.returncode == 0, done.stderr
        made = json.loads(done.stdout)
        return Account(made["tenant_id"], made["email"], made["password"], made["api_key"])

    def new_key(self, account: Account, scopes: str) -> str:
        """Return a new key of the account with these scopes."""
        made = self.manage("shell", "-c", _NEW_KEY.format(tenant=account.tenant_id, scopes=scopes))
        assert made.returncode == 0, made.stderr
        return made.stdout.strip().splitlines()[-1]

    def start_revoking_keys(self, account: Account) -> subprocess.Popen[str]:
        """Revoke keys as an operator's script would. Use it as a context, which ends with the command."""
        return self.command("shell", "-v0", "-c", _REVOKE.format(tenant=account.tenant_id))

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query, without row-level security."""
        with self._connection() as connection:
            return connection.execute(query, values).fetchall()

    def rows_of_all(self, *queries: tuple[str, object]) -> list[tuple[Any, ...]]:
        """Return the rows of all queries, each with its value, over one connection."""
        with self._connection() as connection:
            return [row for query, value in queries for row in connection.execute(query, [value]).fetchall()]

    def change(self, statement: str) -> int:
        """Change rows, without row-level security, and return their number."""
        with self._connection() as connection:
            return connection.execute(statement).rowcount

    def _connection(self) -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(self.service("MAAS_DATABASE_URL"), options="-c role=maas_operator")

    def service(self, variable: str) -> str:
        """Return the address at which the product says that one of its services is."""
        return str(json.loads((self.home / "run" / "services.json").read_text())[variable])

    def usage_of(self, job_id: str) -> list[tuple[int, int]]:
        """Return page number and charge of each usage row."""
        return self.rows(
            "SELECT page.number, used.amount_micros FROM tenants_usagerecord used"
            " JOIN jobs_page page ON page.id = used.source_id WHERE page.job_id = %s ORDER BY page.number",
            job_id,
        )

    def processes(self, *words: str) -> list[psutil.Process]:
        """Return the processes of this product whose command line contains all these words."""
        return [one for one in psutil.process_iter() if self._is_ours(one, words)]

    def process(self, *words: str) -> psutil.Process:
        """Return the process that the supervisor started."""
        return min(
            eventually(lambda: self.processes(*words), f"a process {words}"),
            key=lambda one: one.create_time(),
        )

    def _is_ours(self, process: psutil.Process, words: Sequence[str]) -> bool:
        try:
            mine = process.environ().get("MAAS_HOME") == str(self.home)
            line = set(process.cmdline())
            ours = mine and commands.MODULE not in line
            return ours and process.status() != psutil.STATUS_ZOMBIE and set(words) <= line
        except psutil.Error:
            return False

    def files_under(self, folder: str) -> set[Path]:
        """Return all files below a folder. Folders that are deleted meanwhile count as empty."""
        walk = os.walk(self.home / folder)
        return {Path(where, name) for where, _, names in walk for name in names}

    def files_of(self, document_id: str) -> list[Path]:
        return [path for path in self.files_under("files") if document_id in str(path)]
