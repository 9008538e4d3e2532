"""A private local folder, locked while its process lives. The next process to start removes what a dead one left."""

import atexit
import errno
import fcntl
import os
import secrets
import shutil
import stat
import tempfile
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import structlog
from django.conf import settings

log = structlog.get_logger(__name__)
LOCK = "lock"
TEMPORARY_S = 6 * 3600
_OF_ROOT = "maas-children"
_PASSABLE = 0o711
_NEVER_SWEPT = frozenset({LOCK, "lost+found"})
_making = threading.Lock()


class OwnFolder:
    def __init__(self, root: Path, mode: int = 0o700) -> None:
        self._root = root
        self._mode = mode
        self._folder: Path | None = None
        self._held: int | None = None

    def prepare(self) -> Path:
        """Return the folder. Raises OSError."""
        # If the folder was removed, it is created again, so that no restart is needed.
        if self._folder is None or not self._folder.is_dir():
            self.close()
            self._folder = self._made()
        return self._folder

    def close(self) -> None:
        if self._folder is not None and self._held is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            os.close(self._held)
            self._folder = self._held = None

    def _made(self) -> Path:
        self._root.mkdir(mode=self._mode, parents=True, exist_ok=True)
        # A disk that was given to this service may belong to another user. Each folder in it is private by itself.
        with suppress(PermissionError):
            self._root.chmod(self._mode)
        # This lock is held while sweeping and creating, so that no process sweeps a folder between its creation and its
        # locking.
        gate = os.open(self._root / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(gate, fcntl.LOCK_EX)
            _sweep(self._root)
            folder = self._root / secrets.token_hex(8)
            folder.mkdir(mode=self._mode)
            try:
                self._held = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            except OSError:
                folder.rmdir()
                raise
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(gate)
        return folder


def own_folder() -> Path:
    """Return a folder within the spool for short-lived files of this process. Raises OSError."""
    with _making:
        return _within(settings.MAAS_SPOOL).prepare()


def keep_temporary_files_in_own_folder() -> None:
    """Let all of this process, libraries too, make its temporary files there: the next to start removes what it leaves.

    Without such a folder, temporary files are made where the system makes them.
    """
    try:
        tempfile.tempdir = str(own_folder())
    except OSError as error:
        log.error("spool_not_opened", path=str(settings.MAAS_SPOOL), error=str(error))


def folder_for_children() -> Path:
    """Return a folder for short-lived folders that children of this process work in. Raises OSError.

    Children of root become another user, to whom the spool is closed. So theirs is among the system's temporary files.
    """
    if os.getuid() != 0:
        return own_folder()
    root = Path(os.environ.get("TMPDIR", "/tmp"), _OF_ROOT)  # noqa: S108  # refused if it belongs to somebody else
    root.mkdir(mode=_PASSABLE, exist_ok=True)
    found = root.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(errno.EPERM, "it belongs to another user", str(root))
    with _making:
        return _within(root, _PASSABLE).prepare()


@cache
def _within(root: Path, mode: int = 0o700) -> OwnFolder:
    made = OwnFolder(root, mode)
    atexit.register(made.close)
    return made


def _sweep(root: Path) -> None:
    for entry in root.iterdir():
        if entry.name in _NEVER_SWEPT:
            continue
        try:
            if not _in_use(entry):
                _remove(entry)
                log.info("spool_entry_removed", path=str(entry))
        except OSError as error:
            # The entry belongs to another user, or is on a faulty disk. A process that starts needs a folder of its
            # own, and does not need that entry removed.
            log.warning("spool_entry_not_removed", path=str(entry), error=str(error))


def _remove(entry: Path) -> None:
    if entry.is_dir():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        entry.unlink(missing_ok=True)


def _in_use(entry: Path) -> bool:
    try:
        held = os.open(entry / LOCK, os.O_RDWR)
    except (FileNotFoundError, NotADirectoryError):
        return _is_young(entry)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(held)


def _is_young(entry: Path) -> bool:
    """Return whether an entry without a lock is new enough to be in use. Earlier versions left such entries."""
    with suppress(FileNotFoundError):
        return time.time() - entry.stat().st_mtime < TEMPORARY_S
    return False
