"""A small disk for a single test, to be filled to the last byte."""

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
    """Mount a disk of so many MB at `folder`, and yield the folder. Skip the test if this user may not mount."""
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
    """Fill the disk until not even one block is free, and free the space afterwards."""
    filling = folder / "filling"
    try:
        with suppress(OSError), filling.open("wb", buffering=0) as file:
            while file.write(_BLOCK):
                pass
        yield
    finally:
        filling.unlink(missing_ok=True)
