"""Test that the temporary files of a process are in a folder of its own, which is removed with the process."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django import Settings

from jobs.batches.blobs import scratch
from jobs.core.own_folder import LOCK, OwnFolder, own_folder

_KILLED = """
import os, signal, django
django.setup()
from django.conf import settings
from pathlib import Path
from jobs.batches.blobs import scratch
settings.MAAS_SPOOL = Path({root!r})
kept = scratch()
kept.write(b"of a document")
kept.finish()
print(kept.path, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_worker_left_is_gone_when_the_next_process_starts(tmp_path: Path) -> None:
    program = _KILLED.format(root=str(tmp_path))
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "maas.settings"}
    killed = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False)
    left = Path(killed.stdout.strip())
    assert left.read_bytes() == b"of a document"
    next_one = OwnFolder(tmp_path)
    next_one.prepare()
    assert not left.parent.exists()
    next_one.close()
    assert [path.name for path in tmp_path.iterdir()] == [LOCK]


def test_a_folder_that_was_cleared_away_is_made_anew(tmp_path: Path) -> None:
    own = OwnFolder(tmp_path)
    shutil.rmtree(own.prepare())
    (own.prepare() / "kept").write_bytes(b"x")
    other = OwnFolder(tmp_path)
    other.prepare()
    assert (own.prepare() / "kept").exists()
    own.close()
    other.close()


def test_what_cannot_be_swept_keeps_nobody_from_starting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "somebody-elses").mkdir()
    (tmp_path / "dead").mkdir()
    for name in ("somebody-elses", "dead"):
        os.utime(tmp_path / name, (0, 0))

    def remove(entry: Path) -> None:
        if entry.name == "somebody-elses":
            raise PermissionError(13, "not yours")
        entry.rmdir()

    monkeypatch.setattr("jobs.core.own_folder._remove", remove)
    own = OwnFolder(tmp_path)
    assert own.prepare().is_dir()
    assert {path.name for path in tmp_path.iterdir()} == {LOCK, "somebody-elses", own.prepare().name}
    own.close()


def test_what_a_living_process_keeps_stays(tmp_path: Path, settings: Settings) -> None:
    settings.MAAS_SPOOL = tmp_path
    with scratch() as kept:
        assert kept.path.parent == own_folder()
        other = OwnFolder(tmp_path)
        other.prepare()
        assert kept.path.exists()
        other.close()
    assert not kept.path.exists()
