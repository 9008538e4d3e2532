"""Chooses how children are confined: with bubblewrap if it works, and with the child's own confinement in any case."""

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

import structlog

from .program import Program

log = structlog.get_logger(__name__)

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
"""The complete environment of a child. With pages of 2 MiB, new memory costs a fork next to nothing."""

_WORKSPACE = "/tmp/workspace"  # noqa: S108  # within a file system of its own


@dataclass(frozen=True, slots=True)
class Isolation:
    """The layers that protect this machine from hostile bytes, as a child reported them before it saw any input."""

    layers: tuple[str, ...]
    missing: Mapping[str, str]
    """The reason for each layer that is not in force."""

    def __str__(self) -> str:
        return ", ".join(self.layers)

    def lacking(self, needs: Set[str]) -> dict[str, str]:
        """Return the layers of `needs` that are not in force, each with the reason."""
        return {layer: self.missing.get(layer, "no reason is known") for layer in sorted(needs - set(self.layers))}


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """The path of the program if it is installed and works, or the reason why it cannot be used."""

    path: Path | None
    why_not: str = ""


def find_bubblewrap() -> Path | None:
    """Return the bubblewrap of this machine if it is installed and works, or None."""
    return probe_bubblewrap().path


@functools.cache
def probe_bubblewrap() -> Bubblewrap:
    """Try bubblewrap. The result is cached for the process."""
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
    log.warning("bubblewrap_unusable", path=found, error=why_not)
    return Bubblewrap(None, f"{found} cannot be used here: {why_not}")


def child_command(
    program: Program, bubblewrap: Path | None, descriptor: int, workspace: Path | None = None
) -> list[str]:
    """Return the command line of a child that communicates over the inherited socket `descriptor`."""
    inner = [*_interpreter(_BOOTSTRAP), str(_SANDBOX_FOLDER), str(descriptor)]
    if bubblewrap is None:
        return inner
    visible = (_SANDBOX_FOLDER / "inside", program.folder, *program.libraries)
    return [*_bubblewrap(bubblewrap, visible, program.readable, workspace), *inner]


def _interpreter(code: str) -> list[str]:
    """Return the command of an isolated interpreter without site packages that writes no bytecode."""
    return [sys.executable, "-I", "-S", "-B", "-c", code]


def _bubblewrap(
    bubblewrap: Path, visible: Sequence[Path], readable: Sequence[Path], workspace: Path | None = None
) -> list[str]:
    # The template is in a session of its own already. Another one would have a share of the processor of its own.
    command = [str(bubblewrap), *_namespaces(), "--die-with-parent", "--clearenv"]
    for name, value in CHILD_ENVIRONMENT.items():
        command += ["--setenv", name, value]
    command += ["--tmpfs", "/tmp", "--chdir", "/tmp"]  # noqa: S108
    for folder in _without_nested((*_SYSTEM_FOLDERS, *_interpreter_folders())):
        command += ["--ro-bind-try", folder, folder]
    for path in (*visible, *readable):
        command += ["--ro-bind-try", str(path), str(path)]
    if workspace is not None:
        # Bubblewrap closes the folders that it makes above a deeper place.
        command += ["--bind", str(workspace), _WORKSPACE, "--chdir", _WORKSPACE]
    return [*command, "--remount-ro", "/tmp", "--remount-ro", "/"]  # noqa: S108


def _namespaces() -> list[str]:
    """Return the namespace options, always with processes: killing bubblewrap then ends everything below it."""
    if os.getuid() != 0:
        return ["--unshare-all", "--cap-drop", "ALL", "--uid", _NOBODY, "--gid", _NOBODY]
    # Root in a user namespace could not read a home directory closed to others. So root keeps the right to do that
    # until the child has imported its code and becomes nobody.
    kept = [part for right in _ROOT_RIGHTS for part in ("--cap-add", right)]
    return [*_ROOT_NAMESPACES, "--cap-drop", "ALL", *kept]


def _interpreter_folders() -> list[str]:
    """Return the folders of the standard library and, in a virtual environment, the files that lead to it."""
    return [sys.base_prefix, str(Path(sys.prefix, "pyvenv.cfg")), str(Path(sys.executable).parent)]


def _without_nested(paths: Iterable[str]) -> list[str]:
    """Return the paths that no other path of the list contains, in their order."""
    unique = list(dict.fromkeys(os.path.normpath(path) for path in paths))
    return [path for path in unique if not any(path.startswith(other + os.sep) for other in unique)]
