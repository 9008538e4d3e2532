"""Tests of files that live as long as their request, in a folder that lives as long as its process."""

import asyncio
import errno
import hashlib
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from jobs.core.errors import StorageUnavailable
from jobs.intake.spool import BATCH_BYTES, Spool, refusal_of
from tenants.core.asgi.threads import BoundedThreads
from tenants.core.own_folder import LOCK
from tests.waiting import eventually


@pytest.fixture
def make_spool(tmp_path: Path) -> Callable[[], Spool]:
    return lambda: Spool(tmp_path / "spool", BoundedThreads("spool", 2))


def _files(spool: Spool) -> list[Path]:
    return [path for path in spool.prepare().iterdir() if path.name != LOCK]


def _wait_until_gone(path: Path) -> None:
    eventually(lambda: not path.exists(), f"the end of {path}", 5)


def test_what_is_added_is_in_the_file_and_only_its_owner_can_read_it(make_spool: Callable[[], Spool]) -> None:
    async def check() -> None:
        content = b"x" * (BATCH_BYTES + 5)
        with make_spool().file() as file:
            file.add(content)
            await file.write_full_batch()
            file.add(b"end")
            assert await file.finish() == hashlib.sha256(content + b"end").hexdigest()
            assert file.path.read_bytes() == content + b"end"
            assert file.size_bytes == len(content) + 3
            assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
            assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700
        _wait_until_gone(file.path)

    asyncio.run(check())


def test_less_than_a_batch_touches_no_disk(make_spool: Callable[[], Spool]) -> None:
    async def check() -> None:
        spool = make_spool()
        with spool.file() as file:
            file.add(b"x" * (BATCH_BYTES - 1))
            await file.write_full_batch()
            assert _files(spool) == []

    asyncio.run(check())


def test_a_file_is_removed_even_when_its_request_is_cancelled(make_spool: Callable[[], Spool]) -> None:
    async def check() -> None:
        spool = make_spool()
        written = asyncio.Event()

        async def request() -> None:
            with spool.file() as file:
                file.add(b"x" * BATCH_BYTES)
                await file.write_full_batch()
                written.set()
                await asyncio.Event().wait()

        task = asyncio.ensure_future(request())
        await written.wait()
        (path,) = _files(spool)
        task.cancel()
        await asyncio.wait([task])
        _wait_until_gone(path)

    asyncio.run(check())


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "storage_full"),
        (errno.EDQUOT, "storage_full"),
        (errno.EIO, "storage_unavailable"),
        (errno.EACCES, "storage_unavailable"),
    ],
)
def test_a_disk_that_takes_no_more_is_said(number: int, code: str) -> None:
    assert refusal_of(OSError(number, "as the system says it")).code == code


def test_a_batch_that_was_not_written_is_never_taken_for_a_part_of_the_file(tmp_path: Path) -> None:
    async def check() -> None:
        spool = Spool(tmp_path / "spool", BoundedThreads("spool", 2))
        with spool.file() as file:
            file.path.mkdir()  # In its place nothing can be written.
            file.add(b"x" * BATCH_BYTES)
            with pytest.raises(StorageUnavailable):
                await file.write_full_batch()
            file.path.rmdir()
            with pytest.raises(StorageUnavailable):
                await file.finish()

    asyncio.run(check())


def test_a_spool_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "spool").write_bytes(b"a file where the folder should be")
    with pytest.raises(StorageUnavailable), Spool(tmp_path / "spool", BoundedThreads("spool", 1)).file():
        pass


def test_the_folder_of_a_dead_process_is_swept_and_that_of_a_living_one_kept(
    make_spool: Callable[[], Spool], tmp_path: Path
) -> None:
    living = make_spool()
    kept = living.prepare() / "upload"
    kept.write_bytes(b"x")
    program = (
        "from pathlib import Path;"
        "from jobs.intake.spool import Spool; from tenants.core.asgi.threads import BoundedThreads;"
        f"spool = Spool(Path({str(tmp_path / 'spool')!r}), BoundedThreads('spool', 1));"
        "(spool.prepare() / 'upload').write_bytes(b'x'); print(spool.prepare(), flush=True);"
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    left_behind = Path(killed.stdout.strip())
    assert (left_behind / "upload").exists()
    make_spool().prepare()
    assert not left_behind.exists()
    assert kept.exists()


def test_what_other_processes_keep_there_for_a_while_is_swept_only_when_it_is_old(
    make_spool: Callable[[], Spool], tmp_path: Path
) -> None:
    root = tmp_path / "spool"
    (root / "export-old").mkdir(parents=True)
    for name in ("copy-old", "copy-young"):
        (root / name).write_bytes(b"x")
    (root / "export-young").mkdir()
    for name in ("copy-old", "export-old"):
        os.utime(root / name, (0, 0))
    make_spool().prepare()
    kept = {path.name for path in root.iterdir()}
    assert {"copy-young", "export-young"} <= kept
    assert not {"copy-old", "export-old"} & kept


def test_a_closed_spool_leaves_nothing(make_spool: Callable[[], Spool], tmp_path: Path) -> None:
    spool = make_spool()
    spool.prepare()
    spool.close()
    assert [path.name for path in (tmp_path / "spool").iterdir()] == [LOCK]
