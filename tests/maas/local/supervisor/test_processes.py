"""One supervisor per state folder."""

import os
from pathlib import Path

import pytest

from maas.local.supervisor.processes import HomeLock
from maas.process.errors import AlreadyRunning


def test_second_holder_is_refused_with_the_number_of_the_first(tmp_path: Path) -> None:
    lock = HomeLock(tmp_path / "lock")
    with pytest.raises(AlreadyRunning, match=f"process {os.getpid()} is already running"):
        HomeLock(tmp_path / "lock")
    lock.release()


def test_released_lock_can_be_taken_again(tmp_path: Path) -> None:
    HomeLock(tmp_path / "lock").release()
    HomeLock(tmp_path / "lock").release()
