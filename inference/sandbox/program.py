"""The code that a sandboxed child runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Program:
    """A module below `folder` with a function `handle(request, files)` that returns JSON.

    It is imported as a top-level module, so the packages around it are neither run nor visible to the child.
    """

    folder: Path
    module: str
    libraries: Sequence[Path] = ()
    """Folders of installed packages that the module imports from."""
    readable: Sequence[Path] = ()
    """Folders that stay readable while hostile bytes are open, such as fonts."""
