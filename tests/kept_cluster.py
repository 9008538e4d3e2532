"""A migrated PostgreSQL cluster, kept beside pytest's cache: making its tables takes longer than most tests."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
VARIABLE = "MAAS_TEST_KEPT_CLUSTER"
"""Where processes of a run find it; without it, whatever is started makes its tables itself."""

_NEW = "new-"
_FOLDER = PROJECT / ".pytest_cache" / "d" / "kept_cluster"

# What decides how a migrated cluster looks, beside the packages.
_MADE_OF = (
    "*/migrations/*.py",
    "tenants/row_security.py",
    "tenants/ids.py",
    "jobs/search/embeddings_table.py",
    "maas/embedded/*.py",
    "requirements/dev.txt",
)


class KeptCluster:
    """At most one is kept: that of these migrations."""

    def __init__(self) -> None:
        self.path = _FOLDER / _digest()

    def give_to(self, home: Path) -> bool:
        """Whether there was one for `home`, which has none yet."""
        remove_leftovers(_FOLDER)
        return give(self.path, home)

    def keep(self, home: Path) -> None:
        """That of `home`, whose server is stopped. Two runs may keep theirs at once: the first stays."""
        _FOLDER.mkdir(parents=True, exist_ok=True)
        remove_leftovers(_FOLDER)
        new = Path(tempfile.mkdtemp(dir=_FOLDER, prefix=f"{_NEW}{os.getpid()}-"))
        _copy(home / "postgres", new / "postgres")
        for other in _FOLDER.iterdir():
            if other not in (new, self.path) and not other.name.startswith(_NEW):
                shutil.rmtree(other, ignore_errors=True)
        try:
            new.rename(self.path)
        except OSError:
            shutil.rmtree(new, ignore_errors=True)


def remove_leftovers(folder: Path) -> None:
    """Copies that runs were at when they were killed: each is named after its process."""
    for new in folder.glob(f"{_NEW}*"):
        maker = new.name.removeprefix(_NEW).partition("-")[0]
        if not (maker.isdecimal() and Path("/proc", maker).exists()):
            shutil.rmtree(new, ignore_errors=True)


def give(kept: Path, home: Path) -> bool:
    if (home / "postgres").exists() or not (kept / "postgres").exists():
        return False
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    _copy(kept / "postgres", home / "postgres")
    return True


def give_if_kept(home: Path) -> None:
    if VARIABLE in os.environ:
        give(Path(os.environ[VARIABLE]), home)


def _copy(source: Path, target: Path) -> None:
    # cp, since shutil keeps no owners, and PostgreSQL's data may be another account's.
    subprocess.run(["cp", "-a", "--reflink=auto", str(source), str(target)], check=True)


def _digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(set(_files())):
        digest.update(str(path.relative_to(PROJECT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _files() -> Iterator[Path]:
    for pattern in _MADE_OF:
        yield from PROJECT.glob(pattern)
