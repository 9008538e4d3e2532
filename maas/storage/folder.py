"""File storage in a folder. A file exists whole and on disk, or not at all."""

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage

_MAX_TRIES = 20


class DurableFileSystemStorage(FileSystemStorage):
    """A file storage in a folder. Saving a name that exists replaces the file in one step, as in object storage."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_overwrite=True, **options)

    def _open(self, name: str, mode: str = "rb") -> Any:
        """Open a file. FileNotFoundError means a missing file, any other OSError an unavailable storage."""
        try:
            return super()._open(name, mode)  # type: ignore[misc]
        except FileNotFoundError:
            self._check_is_there(name)
            raise

    def _save(self, name: str, content: Any) -> str:
        path = Path(self.path(name))
        folders = partial(_make_folders, path.parent, self.directory_permissions_mode)
        with _locked(_part_of(path), self.file_permissions_mode, folders) as descriptor:
            with open(descriptor, "wb", closefd=False) as target:
                for chunk in content.chunks():
                    target.write(chunk)
            os.fsync(descriptor)
            _part_of(path).rename(path)
        with suppress(FileNotFoundError):  # the file was erased already, and its empty folder with it
            _sync_folder(path.parent)
        return path.relative_to(self.location).as_posix()

    def delete(self, name: str) -> None:
        """Delete a file, the part that a killed save may have left beside it, and folders that are now empty."""
        self._check_is_there(name)
        path = Path(self.path(name))
        _part_of(path).unlink(missing_ok=True)
        super().delete(name)
        _remove_empty(path.parent, Path(self.location))

    def _check_is_there(self, name: str) -> None:
        """Raise OSError if the storage itself is missing.

        If a disk is not mounted, its folder usually exists and is empty. A file then is not missing, and was not
        erased.
        """
        folders = Path(name).parts[:-1]
        if not Path(self.location, *folders[:1]).is_dir():
            raise OSError(f"the storage folder {self.location} is not there, or is empty")


def _remove_empty(folder: Path, root: Path) -> None:
    """Remove empty folders upwards, except the first below the root, which shows that the storage is available."""
    while root in folder.parent.parents:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _part_of(path: Path) -> Path:
    """Return the same name for every attempt, so that the next save and the deletion find what a killed save left."""
    return path.with_name(f".{path.name}.part")


@contextmanager
def _locked(part: Path, permissions: int | None, folders: Callable[[], None]) -> Iterator[int]:
    """Yield an empty file that is locked until it is closed. If the caller fails, the file is removed."""
    descriptor = _open_locked(part, folders)
    try:
        os.ftruncate(descriptor, 0)
        if permissions is not None:
            os.fchmod(descriptor, permissions)
        yield descriptor
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)


def _open_locked(part: Path, folders: Callable[[], None]) -> int:
    while True:
        descriptor = _open_in(folders, part)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(descriptor, part):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        # The previous holder of the lock has renamed or erased this file, so this caller must not write to it.
        os.close(descriptor)


def _open_in(folders: Callable[[], None], part: Path) -> int:
    """Open a file in its folder. The folder is created again if a concurrent deletion has just removed it."""
    for _ in range(_MAX_TRIES - 1):
        with suppress(FileNotFoundError):
            return _opened_in(folders, part)
    return _opened_in(folders, part)


def _opened_in(folders: Callable[[], None], part: Path) -> int:
    folders()
    return os.open(part, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _make_folders(folder: Path, permissions: int | None) -> None:
    """Make the folders. A new folder is on disk when its parent folder has been synced."""
    if folder.is_dir():
        return
    _make_folders(folder.parent, permissions)
    try:
        folder.mkdir(0o777 if permissions is None else permissions)
    except FileExistsError:
        if not stat.S_ISDIR(folder.stat().st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder)) from None
    _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
