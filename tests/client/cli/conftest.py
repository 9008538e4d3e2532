"""Run the command as a person or a script runs it."""

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from maas_client.cli.main import main
from tests.client.conftest import account, cable, client, long_report, product, report
from tests.flows.product import Account, Product
from tests.kept_cluster import PROJECT
from tests.services import without_product

__all__ = ["account", "cable", "client", "long_report", "product", "report"]
TIMEOUT_S = 90.0
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
        """Run the command in this process. `in_a_process` starts one as a person's shell does."""
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.chdir(self.folder)
            for name, value in {**self.variables, **variables}.items():
                patch.setenv(name, value)
            try:
                code = main([str(argument) for argument in arguments])
            except SystemExit as ended:
                code = int(ended.code or 0)
        return Said(code, out.getvalue(), err.getvalue())

    def in_a_process(self, *arguments: str | Path) -> Said:
        done = subprocess.run(
            [*COMMAND, *map(str, arguments)],
            cwd=self.folder,
            env=environment(**self.variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def maas(product: Product, account: Account, tmp_path: Path) -> Shell:
    return Shell(tmp_path, {"MAAS_URL": product.running.url, "MAAS_API_KEY": account.key})
