"""Starts servers of its own with a small database and a large one."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from uuid import UUID

import psycopg

from maas.local.embedded.postgres import create_database
from tests.benchmarks.large_database.filling import Size, fill
from tests.kept_cluster import PROJECT
from tests.services import RunServices, without_product

SMALL, LARGE = "maas_0", "maas_1"
SMALL_PAGES = 40_000
"""The pages of the small database: enough that both give answers of the same length."""
_TENANT = """
from tenants.billing.ledger.posting import open_wallet
from tenants.core.db.unit_of_work import unit_of_work
from tenants.onboarding.create_tenant import create_tenant
made = create_tenant(name="Busy", email="busy@example.com", password="correct horse")
with unit_of_work(made.tenant.id):
    open_wallet(made.tenant.id, "EUR")
print("MADE", made.tenant.id, made.key.text)
"""


@dataclass(frozen=True, slots=True)
class LargeDatabase:
    superuser_url: str
    """The address of the large database. The other differs in its name alone."""
    environment: dict[str, str]
    """The variables that connect the product to the small database."""
    tenant_id: UUID
    """The tenant that has half of all. It is in both databases, as the models are."""
    key: str


@contextmanager
def large_database(size: Size) -> Iterator[LargeDatabase]:
    services = RunServices()
    services.start()
    try:
        address = services.address()
        address.create_database(0)
        environment = without_product(os.environ) | address.environment(0)
        _manage(environment, "seed", "--models-only", "-v0")
        made = next(line for line in _manage(environment, "shell", "-v0", "-c", _TENANT).splitlines() if "MADE" in line)
        _, tenant_id, key = made.split()
        with psycopg.connect(address.superuser_url, autocommit=True) as connection:
            create_database(connection, LARGE, template=SMALL)
        for name, filled in ((SMALL, replace(size, pages=SMALL_PAGES)), (LARGE, size)):
            url = address.superuser_url.replace("/postgres?", f"/{name}?")
            fill(url, UUID(tenant_id), filled, say=lambda line: print(line, file=sys.stderr, flush=True))
        yield LargeDatabase(url, environment, UUID(tenant_id), key)
    finally:
        services.stop()


def _manage(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, str(PROJECT / "manage.py"), *arguments]
    ended = subprocess.run(command, env=environment, cwd=PROJECT, check=True, stdout=subprocess.PIPE, text=True)
    return ended.stdout
