"""What a process keeps on local disk for a moment lies in a folder of its own, and goes with it."""

import os
import subprocess
import sys
from pathlib import Path

from pytest_django import Settings

from jobs.batches.blobs import scratch
from jobs.own_folder import LOCK, OwnFolder, own_folder

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
    killed = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False
    )
    left = Path(killed.stdout.strip())
    assert left.read_bytes() == b"of a document"
    next_one = OwnFolder(tmp_path)
    next_one.prepare()
    assert not left.parent.exists()
    next_one.close()
    assert [path.name for path in tmp_path.iterdir()] == [LOCK]


def test_what_a_living_process_keeps_stays(tmp_path: Path, settings: Settings) -> None:
    settings.MAAS_SPOOL = tmp_path
    with scratch() as kept:
        assert kept.path.parent == own_folder()
        other = OwnFolder(tmp_path)
        other.prepare()
        assert kept.path.exists()
        other.close()
    assert not kept.path.exists()
