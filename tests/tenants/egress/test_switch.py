"""The development switch says what it does, and does not work where tenants are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
    assert "egress_reaches_this_machine" in done.stderr
    assert "egress_reaches_this_machine" not in check(tmp_path).stderr


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"MAAS_EGRESS_LOOPBACK": "1", "MAAS_SECURE": "1"}, "unset one of them"),
        ({"MAAS_EGRESS_PORTS": "443,https"}, "MAAS_EGRESS_PORTS='443,https' must be ports"),
        ({"MAAS_EGRESS_PORTS": "0"}, "MAAS_EGRESS_PORTS='0' must be ports"),
    ],
)
def test_nothing_starts_with_it_in_production_or_with_ports_that_are_none(
    tmp_path: Path, variables: dict[str, str], words: str
) -> None:
    done = check(tmp_path, **variables)
    assert done.returncode != 0
    assert words in done.stderr
