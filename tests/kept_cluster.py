"""A home with a migrated and seeded PostgreSQL, stored beside pytest's cache, because making it takes longer than most
tests.

Its database `maas` is what the first start of a product leaves behind. `EMPTY` has only the tables.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
VARIABLE = "MAAS_TEST_KEPT_CLUSTER"
"""The variable that tells processes of a run where it is. Without it, each started product creates its tables
itself.
"""

EMPTY = "maas_empty"
CLUSTER = ("postgres",)
SEEDED = (*CLUSTER, "files", "demo.env", "sample.pdf", "secrets.json")
"""The parts that a product's first start creates in its home, and a second start finds."""

_NEW = "new-"
_FOLDER = PROJECT / ".pytest_cache" / "d" / "kept_cluster"

# These files, besides the packages, determine the content of a migrated and seeded cluster.
_MADE_OF = (
    "*/migrations/*.py",
    "*/sql/*.sql",
    "tenants/core/db/applied_sql.py",
    "tenants/core/ids.py",
    "maas/local/embedded/*.py",
    "maas/local/demo/*.py",
    "maas/management/commands/seed.py",
    "inference/registry/*.py",
    "inference/registry/builtin/*",
    "tenants/onboarding/create_tenant.py",
    "requirements/dev.txt",
)


class KeptCluster:
    """The stored cluster. At most one is kept, that of the current migrations."""

    def __init__(self) -> None:
        self.path = _FOLDER / _digest()

    def give_to(self, home: Path) -> bool:
        """Copy only the cluster to `home`, which has none yet. Return whether there was one."""
        remove_leftovers(_FOLDER)
        return give(self.path, home, CLUSTER)

    def keep(self, home: Path) -> None:
        """Store the cluster of `home`, whose server is stopped. If two runs store theirs at once, the first stays."""
        _FOLDER.mkdir(parents=True, exist_ok=True)
        remove_leftovers(_FOLDER)
        new = Path(tempfile.mkdtemp(dir=_FOLDER, prefix=f"{_NEW}{os.getpid()}-"))
        _copy(home, new, SEEDED)
        for other in _FOLDER.iterdir():
            if other not in (new, self.path) and not other.name.startswith(_NEW):
                shutil.rmtree(other, ignore_errors=True)
        try:
            new.rename(self.path)
        except OSError:
            shutil.rmtree(new, ignore_errors=True)


def remove_leftovers(folder: Path) -> None:
    """Remove copies of runs that were killed while copying. Each copy is named after its process."""
    for new in folder.glob(f"{_NEW}*"):
        maker = new.name.removeprefix(_NEW).partition("-")[0]
        if not (maker.isdecimal() and Path("/proc", maker).exists()):
            shutil.rmtree(new, ignore_errors=True)


def give(kept: Path, home: Path, parts: Iterable[str] = SEEDED) -> bool:
    if (home / "postgres").exists() or not (kept / "postgres").exists():
        return False
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    _copy(kept, home, parts)
    return True


def give_if_kept(home: Path) -> None:
    """Copy what a first start would create to `home`, so that a product in it starts as if for the second time."""
    if VARIABLE in os.environ:
        give(Path(os.environ[VARIABLE]), home)


def _copy(source: Path, target: Path, parts: Iterable[str]) -> None:
    # The program cp is used, because shutil does not preserve owners, and PostgreSQL's data may belong to another
    # account.
    subprocess.run(["cp", "-a", "--reflink=auto", *(str(source / part) for part in parts), str(target)], check=True)


def _digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(set(_files())):
        digest.update(str(path.relative_to(PROJECT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _files() -> Iterator[Path]:
    for pattern in _MADE_OF:
        yield from (path for path in PROJECT.glob(pattern) if path.is_file())
