"""File storage that has reached the disk when it says so."""

import os
from typing import Any

from django.core.files.storage import FileSystemStorage


class DurableFileSystemStorage(FileSystemStorage):
    """A row never points at a file that a power cut could still take away."""

    def _save(self, name: str, content: Any) -> str:
        saved = super()._save(name, content)  # type: ignore[misc]
        path = self.path(saved)
        for target in (path, os.path.dirname(path)):
            descriptor = os.open(target, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        return str(saved)
