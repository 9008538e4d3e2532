"""Files to upload: they are read piece by piece, report their progress, and can be sent again."""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

Source = str | os.PathLike[str] | bytes | BinaryIO
Progress = Callable[[int, int], None]
"""A callback that gets the bytes sent and all bytes. It starts again if the file has to be sent again."""


class Watched(io.RawIOBase):
    """A file that reports how far it was read. Each new attempt starts with a rewind, which is reported, too."""

    def __init__(self, file: BinaryIO, size_bytes: int, tell: Progress) -> None:
        super().__init__()
        self._file = file
        self._size_bytes = size_bytes
        self._tell = tell

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(size)
        if data:
            self._tell(self._file.tell(), self._size_bytes)
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()


@dataclass(frozen=True)
class FilePart:
    """A path, bytes, or an open file that can be rewound. It is sent from its beginning."""

    source: Source
    name: str
    progress: Progress | None = None

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the file anew for each attempt; close only what this has opened."""
        with self._opened() as file:
            size_bytes = file.seek(0, io.SEEK_END)
            file.seek(0)
            yield Watched(file, size_bytes, self.progress) if self.progress else file  # type: ignore[misc]

    @property
    def size_bytes(self) -> int:
        with self._opened() as file:
            return file.seek(0, io.SEEK_END)

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        match self.source:
            case bytes():
                yield io.BytesIO(self.source)
            case str() | os.PathLike():
                with Path(self.source).open("rb") as file:
                    yield file
            case opened:
                yield opened


def file_part(source: Source, name: str | None = None, progress: Progress | None = None) -> FilePart:
    """Build the part. A path without a file is refused here, before anything is sent."""
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if not path.is_file():
            raise FileNotFoundError(f"There is no file {os.fspath(source)!r}. To send words themselves, give text=….")
        return FilePart(source, name or path.name, progress)
    if not isinstance(source, bytes) and not source.seekable():
        raise ValueError("The file cannot be rewound, so it could not be sent again. Give a path or its bytes.")
    given = getattr(source, "name", None)
    return FilePart(source, name or (Path(given).name if isinstance(given, str) else "document"), progress)
