"""Test that the temporary files of a process are in a folder of its own, which is removed with the process."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from pytest_django import Settings

from jobs.batches.blobs import scratch
from tenants.core.own_folder import LOCK, OwnFolder, folder_for_children, keep_temporary_files_in_own_folder, own_folder

_KILLED = """
import os, signal, django
django.setup()
from django.conf import settings
from pathlib import Path
from jobs.batches.blobs import scratch
from tenants.core.own_folder import keep_temporary_files_in_own_folder
from tempfile import TemporaryDirectory
settings.MAAS_SPOOL = Path({root!r})
keep_temporary_files_in_own_folder()
of_a_library = TemporaryDirectory()
kept = scratch()
kept.write(b"of a document")
kept.finish()
print(kept.path, of_a_library.name, sep="\\n", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_worker_left_is_gone_when_the_next_process_starts(tmp_path: Path) -> None:
    program = _KILLED.format(root=str(tmp_path))
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "maas.settings"}
    killed = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False)
    left, of_a_library = map(Path, killed.stdout.splitlines())
    assert left.read_bytes() == b"of a document"
    assert of_a_library.is_dir()
    assert of_a_library.parent == left.parent
    next_one = OwnFolder(tmp_path)
    next_one.prepare()
    assert not left.parent.exists()
    next_one.close()
    assert [path.name for path in tmp_path.iterdir()] == [LOCK]


def test_a_process_runs_without_a_folder_of_its_own(tmp_path: Path, settings: Settings) -> None:
    settings.MAAS_SPOOL = tmp_path / "file"
    settings.MAAS_SPOOL.touch()
    before = tempfile.tempdir
    keep_temporary_files_in_own_folder()
    assert tempfile.tempdir == before


@pytest.mark.skipif(os.getuid() != 0, reason="only root's children become another user")
def test_children_of_root_reach_their_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with TemporaryDirectory(dir=folder_for_children()) as name:
        folder = Path(name)
        modes = [parent.stat().st_mode & 0o777 for parent in (folder.parent, folder.parent.parent)]
        assert modes == [0o711, 0o711]
        assert folder.parent.parent.parent == tmp_path


@pytest.mark.skipif(os.getuid() != 0, reason="only root's children become another user")
@pytest.mark.parametrize("planted", ["a folder of another user", "a link"])
def test_a_planted_folder_is_refused_before_anything_in_it_is_removed(
    planted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    target = tmp_path / "target"
    (target / "old").mkdir(parents=True)
    os.utime(target / "old", (0, 0))
    place = tmp_path / "maas-children"
    if planted == "a link":
        place.symlink_to(target)
    else:
        target.rename(place)
        os.chown(place, 12345, 12345)
    with pytest.raises(PermissionError, match="another user"):
        folder_for_children()
    assert (place / "old").is_dir()


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

    monkeypatch.setattr("tenants.core.own_folder._remove", remove)
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
