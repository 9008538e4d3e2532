"""Tests of `manage.py` without a running product."""

import os
import subprocess
import sys
from pathlib import Path

from tests.kept_cluster import PROJECT
from tests.services import without_product


def test_no_command_takes_whatever_database_the_machine_has(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "tenant_create", "--name", "Acme", "--email", "owner@acme.example"],
        cwd=PROJECT,
        env=without_product(os.environ) | {"MAAS_HOME": str(tmp_path), "PGHOST": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert f"{tmp_path}/run/postgres" in done.stderr
    assert f"Is `make up` running with MAAS_HOME={tmp_path}? Start it, or set MAAS_DATABASE_URL." in done.stderr
