import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.files.base import ContentFile

from maas.storage.folder import DurableFileSystemStorage
from tests.kept_cluster import PROJECT

NAME = "tenants/some/documents/one"
CONTENT = b"bytes of a document" * 65536

KILLED_SAVE = """
import os, signal, sys
from django.conf import settings
from django.core.files import File
from maas.storage.folder import DurableFileSystemStorage

class Killed(File):
    def chunks(self, chunk_size=None):
        yield b"the first half"
        os.kill(os.getpid(), signal.SIGKILL)

settings.configure()
DurableFileSystemStorage(location=sys.argv[1]).save(sys.argv[2], Killed(None))
"""


class Paced(ContentFile):  # type: ignore[type-arg]  # not generic when it runs
    """A file that comes in two halves, the second one when the test allows it."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.begun, self.go_on = threading.Event(), threading.Event()

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        content = self.read()
        yield content[: len(content) // 2]
        self.begun.set()
        assert self.go_on.wait(20)
        yield content[len(content) // 2 :]


@pytest.fixture
def storage(tmp_path: Path) -> DurableFileSystemStorage:
    return DurableFileSystemStorage(
        location=str(tmp_path / "files"), directory_permissions_mode=0o700, file_permissions_mode=0o600
    )


def files_below(storage: DurableFileSystemStorage) -> list[str]:
    root = Path(storage.location)
    return [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]


def kill_a_save(storage: DurableFileSystemStorage) -> None:
    command = [sys.executable, "-c", KILLED_SAVE, str(storage.location), NAME]
    assert subprocess.run(command, cwd=PROJECT, check=False).returncode == -9


@contextmanager
def no_file_larger_than(limit: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_saved_file_comes_back_whole_and_only_its_owner_may_read_it(
    storage: DurableFileSystemStorage,
) -> None:
    assert storage.save(NAME, ContentFile(CONTENT)) == NAME
    assert storage.open(NAME).read() == CONTENT
    modes = {path.stat().st_mode & 0o077 for path in Path(storage.location).rglob("*")}
    assert modes == {0}


def test_save_that_was_killed_leaves_nothing_under_the_name(storage: DurableFileSystemStorage) -> None:
    kill_a_save(storage)
    assert not storage.exists(NAME)


def test_save_after_one_that_was_killed_leaves_the_whole_file_alone(
    storage: DurableFileSystemStorage,
) -> None:
    kill_a_save(storage)
    storage.save(NAME, ContentFile(CONTENT))
    assert storage.open(NAME).read() == CONTENT
    assert files_below(storage) == [NAME]


def test_deletion_takes_away_what_a_killed_save_left(storage: DurableFileSystemStorage) -> None:
    kill_a_save(storage)
    storage.delete(NAME)
    assert files_below(storage) == []


def test_save_that_finds_no_room_leaves_nothing(storage: DurableFileSystemStorage) -> None:
    with no_file_larger_than(len(CONTENT) // 2), pytest.raises(OSError, match="File too large"):
        storage.save(NAME, ContentFile(CONTENT))
    assert files_below(storage) == []


def test_saving_again_replaces(storage: DurableFileSystemStorage) -> None:
    storage.save(NAME, ContentFile(b"damaged"))
    assert storage.save(NAME, ContentFile(CONTENT)) == NAME
    assert storage.open(NAME).read() == CONTENT


def test_two_saves_of_one_name_at_once_do_not_mix(storage: DurableFileSystemStorage) -> None:
    first, second = Paced(b"a" * 100_000), Paced(b"b" * 100_000)
    threads = [threading.Thread(target=storage.save, args=[NAME, one]) for one in (first, second)]
    threads[0].start()
    assert first.begun.wait(20)
    second.go_on.set()
    threads[1].start()
    first.go_on.set()
    for thread in threads:
        thread.join(20)
    assert storage.open(NAME).read() == b"b" * 100_000
    assert files_below(storage) == [NAME]


def test_missing_file_is_told_apart_from_missing_storage(storage: DurableFileSystemStorage) -> None:
    storage.save(NAME, ContentFile(CONTENT))
    with pytest.raises(FileNotFoundError):
        storage.open("tenants/some/documents/two")
    Path(storage.location).rename(Path(storage.location).with_name("elsewhere"))
    Path(storage.location).mkdir()
    with pytest.raises(OSError, match="is not there") as away:
        storage.open(NAME)
    assert not isinstance(away.value, FileNotFoundError)


def test_nothing_counts_as_deleted_while_the_storage_is_not_there(storage: DurableFileSystemStorage) -> None:
    with pytest.raises(OSError, match="is not there"):
        storage.delete(NAME)


def test_no_folder_outlives_what_was_in_it_but_the_first(storage: DurableFileSystemStorage) -> None:
    picture = f"{NAME}-pages/1.png"
    for name in (NAME, picture):
        storage.save(name, ContentFile(CONTENT))
    storage.delete(picture)
    assert storage.exists(NAME)
    storage.delete(NAME)
    first = Path(NAME).parts[0]
    assert [path.name for path in Path(storage.location).rglob("*")] == [first]


def test_saves_and_deletions_in_one_folder_at_once_do_not_meet(storage: DurableFileSystemStorage) -> None:
    def write_and_erase(which: int) -> None:
        for _ in range(100):
            storage.save(f"{NAME}/{which}", ContentFile(CONTENT))
            storage.delete(f"{NAME}/{which}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write_and_erase, range(4)))
    assert files_below(storage) == []
