"""A small disk of one's own, to be filled to the last byte."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

_BLOCK = bytes(64 << 10)


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """`folder`, on a disk of so many MB; skips the test where nobody may mount one."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = shutil.which("mount")
    if os.geteuid() != 0 or mount is None:
        pytest.skip("only root can mount a small disk")
    options = f"size={megabytes}m,mode=700"
    made = subprocess.run(
        [mount, "-t", "tmpfs", "-o", options, "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        pytest.skip(f"a small disk cannot be mounted here: {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def filled(folder: Path) -> Iterator[None]:
    """No room is left, not for one block; room again afterwards."""
    filling = folder / "filling"
    try:
        with suppress(OSError), filling.open("wb", buffering=0) as file:
            while file.write(_BLOCK):
                pass
        yield
    finally:
        filling.unlink(missing_ok=True)
