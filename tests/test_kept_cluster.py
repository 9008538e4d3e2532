"""Tests the removal of what killed runs have left beside the kept cluster."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.kept_cluster import remove_leftovers

pytestmark = pytest.mark.long


def test_copies_of_processes_that_are_gone_are_removed_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    kept = {f"new-{os.getpid()}-abc", "0123456789abcdef"}
    for name in {f"new-{gone.pid}-abc", "new-abcdefgh", *kept}:
        (tmp_path / name / "postgres").mkdir(parents=True)
    remove_leftovers(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == kept
