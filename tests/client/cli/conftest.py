"""The command as a person or a script runs it."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.client.conftest import account, cable, client, long_report, product, report
from tests.flows.product import Account, Product
from tests.kept_cluster import PROJECT
from tests.services import without_product

__all__ = ["account", "cable", "client", "long_report", "product", "report"]
PATIENCE_S = 90.0
COMMAND = (sys.executable, "-m", "maas_client")


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str


def environment(**variables: str) -> dict[str, str]:
    return without_product(os.environ) | {"PYTHONPATH": str(PROJECT / "client"), **variables}


@dataclass(frozen=True)
class Shell:
    folder: Path
    variables: Mapping[str, str]

    def __call__(self, *arguments: str | Path, **variables: str) -> Said:
        done = subprocess.run(
            [*COMMAND, *map(str, arguments)],
            cwd=self.folder,
            env=environment(**{**self.variables, **variables}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Said(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def maas(product: Product, account: Account, tmp_path: Path) -> Shell:
    return Shell(tmp_path, {"MAAS_URL": product.running.url, "MAAS_API_KEY": account.key})
