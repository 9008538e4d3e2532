"""Tests that the development switch says what it does, and that it does not work where there are tenants."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from maas.settings.env import Environment
from tests.kept_cluster import PROJECT
from tests.services import without_product


def check(home: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=PROJECT,
        env=without_product(os.environ) | {"MAAS_HOME": str(home), "MAAS_SECRET_KEY": "x", **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_every_start_warns_of_it(tmp_path: Path) -> None:
    done = check(tmp_path, MAAS_EGRESS_LOOPBACK="1")
    assert done.returncode == 0
    assert "egress_loopback_allowed" in done.stderr
    assert "egress_loopback_allowed" not in check(tmp_path).stderr


def test_nothing_starts_with_it_in_production(tmp_path: Path) -> None:
    done = check(tmp_path, MAAS_EGRESS_LOOPBACK="1", MAAS_SECURE="1")
    assert done.returncode != 0
    assert "unset one of them" in done.stderr


@pytest.mark.parametrize("ports", ["443,https", "0", "65536"])
def test_ports_that_are_none_are_refused(ports: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"MAAS_EGRESS_PORTS='{ports}' must be ports"):
        Environment(Path("/nowhere"), {"MAAS_EGRESS_PORTS": ports}).ports("MAAS_EGRESS_PORTS", "443")
