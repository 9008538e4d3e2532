"""The code that a sandboxed child runs, and the limits on its resources."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Program:
    """A module below `folder` with `handle(request, files)` that returns JSON. It is imported as a top-level module:
    the packages around it are neither run nor visible to the child.
    """

    folder: Path
    module: str
    libraries: Sequence[Path] = ()
    """Folders of installed packages that the module imports from."""
    readable: Sequence[Path] = ()
    """Folders that stay readable while hostile bytes are open, such as fonts."""


_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ChildLimits:
    memory_bytes: int = 2048 * _MIB
    """The limit of the address space, which includes code and mapped files."""
    file_bytes: int = 512 * _MIB
    """The largest file that the child may write: an arena, an open file of the request, or a file of its workspace."""
    open_files: int = 32
    reply_bytes: int = 64 * _MIB
    start_s: float = 20.0
    """The wall-clock time within which a child must be ready."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    wall_s: float
    cpu_s: int
    memory_bytes: int | None = None
    """A limit of the address space below that of the child, or None for the same limit."""
    yields_after_s: float | None = None
    """The seconds after which the request gets only processor time that others leave, or None if it never yields."""
