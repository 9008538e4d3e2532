"""Tests of the cache of model files beside a worker, with S3 as storage (a stand-in on this machine)."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from inference.registry import artifacts, file_cache
from inference.registry.artifacts import Artifact, ArtifactDamaged
from inference.registry.file_cache import PART, SPARED_S, CachedFile, surplus
from maas.settings.env import storage_backend
from tests.stand_in_s3 import Bucket, new_bucket, stand_in_s3

pytestmark = pytest.mark.xdist_group("model_file_cache")
SIZE = 400_000


@pytest.fixture(scope="module")
def bucket() -> Iterator[Bucket]:
    with stand_in_s3() as address:
        yield new_bucket(address)


@pytest.fixture
def cache(bucket: Bucket, settings: Settings, tmp_path: Path) -> Path:
    """Return the folder of an empty cache that takes two of the files."""
    settings.STORAGES = {**settings.STORAGES, "default": storage_backend(bucket.url, tmp_path)}
    settings.MAAS_HOME = tmp_path
    settings.MAAS_MODEL_CACHE_MB = 1
    return tmp_path / "models"


def stored(tmp_path: Path, content: bytes) -> Artifact:
    file = tmp_path / "model.onnx"
    file.write_bytes(content * SIZE)
    return artifacts.store(file)


def grow_old(path: Path, seconds: float = SPARED_S + 1) -> None:
    then_s = time.time() - seconds
    os.utime(path, (then_s, then_s))


def test_beyond_the_limit_the_files_that_were_unused_for_longest_leave_and_are_fetched_again(
    cache: Path, tmp_path: Path
) -> None:
    files = [stored(tmp_path, name) for name in (b"a", b"b", b"c")]
    first, second = artifacts.local_path(files[0]), artifacts.local_path(files[1])
    grow_old(first)
    grow_old(second, SPARED_S + 100)
    third = artifacts.local_path(files[2])
    assert [path.exists() for path in (first, second, third)] == [True, False, True]
    assert not second.parent.exists()
    assert artifacts.local_path(files[1]).read_bytes() == b"b" * SIZE
    assert not first.exists()


def test_a_file_that_was_just_used_stays_although_there_is_too_much(cache: Path, tmp_path: Path) -> None:
    paths = [artifacts.local_path(stored(tmp_path, name)) for name in (b"a", b"b", b"c")]
    assert all(path.exists() for path in paths)
    assert artifacts.still_here(map(str, paths))
    grow_old(paths[0])
    assert file_cache.remove_unused() == 1
    assert not artifacts.still_here(map(str, paths))
    assert artifacts.still_here(map(str, paths[1:]))


def test_a_file_that_a_task_works_with_stays_however_long_it_takes(cache: Path, tmp_path: Path) -> None:
    files = [stored(tmp_path, name) for name in (b"a", b"b", b"c")]
    others = [artifacts.local_path(file) for file in files[1:]]
    with file_cache.pins():
        pinned = artifacts.local_path(files[0])
        grow_old(pinned, SPARED_S + 100)
        for other in others:
            grow_old(other)
        assert file_cache.remove_unused() == 1
        assert pinned.exists()
    for name in (b"b", b"c"):
        artifacts.local_path(stored(tmp_path, name))
    assert not pinned.exists()


def test_a_file_of_another_size_is_fetched_again_and_one_that_is_damaged_in_storage_is_refused(
    cache: Path, tmp_path: Path, bucket: Bucket
) -> None:
    artifact = stored(tmp_path, b"z")
    artifacts.local_path(artifact).write_bytes(b"short")
    assert artifacts.local_path(artifact).read_bytes() == b"z" * SIZE
    key = next(name for name in bucket.objects("models/") if artifact["sha256"] in name)
    bucket.client.put_object(Bucket=bucket.name, Key=key, Body=b"x" * SIZE)
    artifacts.local_path(artifact).unlink()
    with pytest.raises(ArtifactDamaged):
        artifacts.local_path(artifact)
    assert list(cache.glob(f"*/{PART}*")) == []


def test_many_that_use_and_remove_at_once_never_find_a_file_missing_that_they_have_just_touched(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_cache, "SPARED_S", 1.0)
    files = [stored(tmp_path, name) for name in (b"a", b"b", b"c", b"d")]
    missing: list[Path] = []
    removed: list[int | OSError] = []
    ends_s = time.monotonic() + 3

    def use(offset: int) -> None:
        number = offset
        while time.monotonic() < ends_s:
            path = artifacts.local_path(files[number % len(files)])
            if not path.exists():
                missing.append(path)
            number += 1
            time.sleep(0.4)

    def remove() -> None:
        while time.monotonic() < ends_s:
            try:
                removed.append(file_cache.remove_unused())
            except OSError as error:
                removed.append(error)

    threads = [threading.Thread(target=use, args=(offset,)) for offset in range(3)] + [threading.Thread(target=remove)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert missing == []
    assert not (failed := [error for error in removed if isinstance(error, OSError)]), failed


def test_the_choice_takes_no_more_than_needed_and_the_oldest_first() -> None:
    files = [CachedFile(Path(str(number)), 10, float(number)) for number in range(5)]
    assert [str(file.path) for file in surplus(files, limit_bytes=25, before_s=9.0)] == ["0", "1", "2"]
    assert [str(file.path) for file in surplus(files, limit_bytes=25, before_s=1.0)] == ["0", "1"]
    assert surplus(files, limit_bytes=50, before_s=9.0) == []
