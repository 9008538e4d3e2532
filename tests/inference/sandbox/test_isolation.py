"""Test what bubblewrap alone keeps from a child, before the child has confined itself."""

import subprocess
from pathlib import Path

import pytest

from inference.sandbox.isolation import child_command, find_bubblewrap

from .conftest import PROGRAM


@pytest.fixture
def walls() -> list[str]:
    bubblewrap = find_bubblewrap()
    if bubblewrap is None:
        pytest.skip("bubblewrap is not installed or may not make namespaces")
    command = child_command(PROGRAM, bubblewrap, 3)
    return command[: command.index("-I")]


@pytest.mark.parametrize("folder", ["/", "/tmp", str(PROGRAM.folder)])
def test_no_file_can_be_left_for_the_next_request(walls: list[str], folder: str) -> None:
    code = f"open({str(Path(folder, 'left'))!r}, 'w')"
    tried = subprocess.run([*walls, "-c", code], env={}, capture_output=True, text=True, check=False)
    assert tried.returncode == 1
    assert "Read-only file system" in tried.stderr
