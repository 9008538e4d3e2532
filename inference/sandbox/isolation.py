"""Chooses how children are walled in: bubblewrap where it works, the child's own confinement everywhere."""

import functools
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from .program import Program

_log = logging.getLogger(__name__)

_HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage"
_SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/lib32", "/etc/ld.so.cache", "/etc/fonts", _HUGE_PAGES)
_NOBODY = "65534"
_ROOT_NAMESPACES = (
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
)
_ROOT_RIGHTS = ("CAP_SETUID", "CAP_SETGID", "CAP_DAC_READ_SEARCH")
_PROBE_S = 10
_BOOTSTRAP = "import sys; sys.path.append(sys.argv[1]); from inside.main import main; main(int(sys.argv[2]))"
_SANDBOX_FOLDER = Path(__file__).parent

CHILD_ENVIRONMENT = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""All of it. A fork has no freed memory to use again; in pages of 2 MiB, new memory costs next to nothing."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """What stands between hostile bytes and this machine, as a child reported it before it saw any input."""

    layers: tuple[str, ...]
    missing: Mapping[str, str]
    """Why each layer that is not in force is not."""

    def __str__(self) -> str:
        return ", ".join(self.layers)

    def lacking(self, needs: Set[str]) -> dict[str, str]:
        """Return the layers of `needs` that are not in force, each with the reason."""
        return {
            layer: self.missing.get(layer, "no reason is known") for layer in sorted(needs - set(self.layers))
        }


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """The program where it is installed and works; else why it cannot be used."""

    path: Path | None
    why_not: str = ""


def find_bubblewrap() -> Path | None:
    """Return the bubblewrap of this machine, where it is installed and works."""
    return probe_bubblewrap().path


@functools.cache
def probe_bubblewrap() -> Bubblewrap:
    """Try bubblewrap once per process."""
    found = shutil.which("bwrap")
    if found is None:
        return Bubblewrap(None, "bwrap is not installed")
    command = [*_bubblewrap(Path(found), (), ()), *_interpreter("pass")]
    try:
        probe = subprocess.run(command, env={}, capture_output=True, timeout=_PROBE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        why_not = str(error)
    else:
        if probe.returncode == 0:
            return Bubblewrap(Path(found))
        why_not = probe.stderr.decode(errors="replace").strip()
    _log.warning("bubblewrap at %s cannot be used: %s", found, why_not)
    return Bubblewrap(None, f"{found} cannot be used here: {why_not}")


def child_command(program: Program, bubblewrap: Path | None, descriptor: int) -> list[str]:
    """The command line of a child that talks over the inherited socket `descriptor`."""
    inner = [*_interpreter(_BOOTSTRAP), str(_SANDBOX_FOLDER), str(descriptor)]
    if bubblewrap is None:
        return inner
    visible = (_SANDBOX_FOLDER / "inside", program.folder, *program.libraries)
    return [*_bubblewrap(bubblewrap, visible, program.readable), *inner]


def _interpreter(code: str) -> list[str]:
    """Isolated, without site packages, and leaving no bytecode behind."""
    return [sys.executable, "-I", "-S", "-B", "-c", code]


def _bubblewrap(bubblewrap: Path, visible: Sequence[Path], readable: Sequence[Path]) -> list[str]:
    command = [str(bubblewrap), *_namespaces(), "--die-with-parent", "--new-session", "--clearenv"]
    for name, value in CHILD_ENVIRONMENT.items():
        command += ["--setenv", name, value]
    command += ["--tmpfs", "/tmp", "--chdir", "/tmp"]  # noqa: S108
    for folder in _without_nested((*_SYSTEM_FOLDERS, *_interpreter_folders())):
        command += ["--ro-bind-try", folder, folder]
    for path in (*visible, *readable):
        command += ["--ro-bind-try", str(path), str(path)]
    return [*command, "--remount-ro", "/tmp", "--remount-ro", "/"]  # noqa: S108


def _namespaces() -> list[str]:
    """All of them include the process namespace, so that killing bubblewrap ends whatever runs below it."""
    if os.getuid() != 0:
        return ["--unshare-all", "--cap-drop", "ALL", "--uid", _NOBODY, "--gid", _NOBODY]
    # In a user namespace root could not read a home closed to others. So root keeps, until the child has
    # imported its code and becomes nobody, the right to do just that.
    kept = [part for right in _ROOT_RIGHTS for part in ("--cap-add", right)]
    return [*_ROOT_NAMESPACES, "--cap-drop", "ALL", *kept]


def _interpreter_folders() -> list[str]:
    """The standard library and, in a virtual environment, the files that lead to it."""
    return [sys.base_prefix, str(Path(sys.prefix, "pyvenv.cfg")), str(Path(sys.executable).parent)]


def _without_nested(paths: Iterable[str]) -> list[str]:
    """Paths that no other path of the list already contains, in their order."""
    unique = list(dict.fromkeys(os.path.normpath(path) for path in paths))
    return [path for path in unique if not any(path.startswith(other + os.sep) for other in unique)]
