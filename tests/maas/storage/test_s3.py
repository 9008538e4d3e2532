"""Tests of documents and model files in S3-compatible storage, against a stand-in server on this machine."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.storage import default_storage
from pytest_django import Settings

from inference.registry import artifacts
from jobs.core.errors import FileMissing, StorageUnavailable
from jobs.documents import files
from maas.local.supervisor.ports import free_port
from maas.settings.env import storage_backend
from tenants.identity.identity import Identity
from tests.jobs.api.test_document_content import CONTENT as ORIGINAL
from tests.jobs.api.test_document_content import sent, stored
from tests.stand_in_s3 import KEYS, Bucket, new_bucket, stand_in_s3

CONTENT = b"%PDF-1.7 bytes of a document" * 4096


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with stand_in_s3() as address:
        yield address


@pytest.fixture
def bucket(endpoint: str, settings: Settings, tmp_path: Path) -> Bucket:
    """Return a bucket of this test's own, which the product uses as its storage."""
    made = new_bucket(endpoint)
    _use(settings, made.url, tmp_path)
    return made


def _use(settings: Settings, url: str, home: Path) -> None:
    settings.MAAS_HOME, settings.MAAS_SPOOL = home, home / "spool"
    settings.STORAGES = {**settings.STORAGES, "default": storage_backend(url, home)}


def test_document_is_stored_below_the_prefix_and_comes_back_whole(bucket: Bucket, tmp_path: Path) -> None:
    scan = tmp_path / "scan.pdf"
    scan.write_bytes(CONTENT)
    name = files.original_name(uuid4(), uuid4(), "0" * 64)
    files.save_file(name, scan)
    assert bucket.objects() == [f"tenants-of-ours/{name}"]
    with files.local_file(name) as copy:
        assert copy.read_bytes() == CONTENT


def test_local_copy_of_a_document_is_private_and_gone_after_use(bucket: Bucket) -> None:
    name = files.original_name(uuid4(), uuid4(), "1" * 64)
    files.save_bytes(name, CONTENT)
    with files.local_file(name) as copy:
        assert copy.stat().st_mode & 0o077 == 0
    assert not copy.exists()


def test_erased_document_is_gone_from_the_bucket_and_erasing_again_does_no_harm(
    bucket: Bucket,
) -> None:
    name = files.original_name(uuid4(), uuid4(), "2" * 64)
    files.save_bytes(name, CONTENT)
    files.erase(name)
    files.erase(name)
    assert bucket.objects() == []


def test_document_that_is_missing_from_storage_is_told_apart_from_a_missing_bucket(
    endpoint: str, bucket: Bucket, settings: Settings, tmp_path: Path
) -> None:
    with pytest.raises(FileMissing), files.local_file("tenants/none/documents/none"):
        pass
    _use(settings, f"s3://there-is-no-such-bucket?endpoint={endpoint}&{KEYS}", tmp_path)
    with pytest.raises(StorageUnavailable) as away, files.local_file("tenants/none/documents/none"):
        pass
    assert away.value.code == "storage_unavailable"


def test_nothing_counts_as_erased_while_the_bucket_is_missing(
    endpoint: str, settings: Settings, tmp_path: Path
) -> None:
    _use(settings, f"s3://there-is-no-such-bucket?endpoint={endpoint}&{KEYS}", tmp_path)
    with pytest.raises(StorageUnavailable):
        files.erase("tenants/some/documents/one")


def test_storage_that_does_not_answer_is_a_storage_error(settings: Settings, tmp_path: Path) -> None:
    _use(settings, f"s3://bucket?endpoint=http://127.0.0.1:{free_port()}&{KEYS}", tmp_path)
    with pytest.raises(StorageUnavailable):
        files.save_bytes("tenants/some/documents/one", CONTENT)


def test_storage_that_refuses_is_a_storage_error(endpoint: str, settings: Settings, tmp_path: Path) -> None:
    _use(settings, f"s3://there-is-no-such-bucket?endpoint={endpoint}&{KEYS}", tmp_path)
    with pytest.raises(StorageUnavailable):
        files.save_bytes("tenants/some/documents/one", CONTENT)


def test_model_file_is_fetched_once_into_the_cache_of_the_home(bucket: Bucket, tmp_path: Path) -> None:
    weights = tmp_path / "weights.onnx"
    weights.write_bytes(CONTENT)
    artifact = artifacts.store(weights)
    cached = artifacts.local_path(artifact)
    assert cached.read_bytes() == CONTENT
    assert cached.is_relative_to(tmp_path / "models")
    default_storage.delete(artifact["file"])
    assert artifacts.local_path(artifact) == cached


def test_model_file_that_was_changed_in_storage_is_not_served(bucket: Bucket, tmp_path: Path) -> None:
    weights = tmp_path / "weights.onnx"
    weights.write_bytes(CONTENT)
    artifact = artifacts.store(weights)
    bucket.client.put_object(Bucket=bucket.name, Key=f"tenants-of-ours/{artifact['file']}", Body=b"other")
    with pytest.raises(artifacts.ArtifactDamaged):
        artifacts.local_path(artifact)
    assert list((tmp_path / "models").rglob("*.onnx")) == []


def test_large_document_is_not_held_in_memory_while_it_is_fetched(bucket: Bucket) -> None:
    files.save_bytes("tenants/some/documents/large", b"x" * 3 * 2**20)
    with files.open_file("tenants/some/documents/large") as fetched:
        spool: Any = fetched.file
        assert spool._rolled


def test_page_picture_is_read_through_the_storage(bucket: Bucket) -> None:
    name = files.picture_name(uuid4(), uuid4(), 1, "image/png")
    files.save_bytes(name, b"\x89PNG")
    with files.open_file(name) as picture:
        assert picture.read() == b"\x89PNG"


def test_file_is_read_while_it_arrives_and_never_fetched_first(bucket: Bucket) -> None:
    files.save_bytes("tenants/some/documents/large", CONTENT * 40)
    stream = files.open_stream("tenants/some/documents/large")
    try:
        begin = stream.read(1_000)
        assert begin == CONTENT[: len(begin)]
        assert begin + b"".join(iter(lambda: stream.read(64 << 10), b"")) == CONTENT * 40
    finally:
        stream.close()


def test_file_is_read_from_any_byte(bucket: Bucket) -> None:
    files.save_bytes("tenants/some/documents/large", CONTENT)
    part = files.PartOfFile(files.open_stream("tenants/some/documents/large", 5), 7)
    assert (part.read(4), part.read(), part.read(1)) == (CONTENT[5:9], CONTENT[9:12], b"")
    part.close()


def test_file_to_be_read_as_it_arrives_is_missing_or_its_bucket_is(
    endpoint: str, bucket: Bucket, settings: Settings, tmp_path: Path
) -> None:
    with pytest.raises(FileMissing):
        files.open_stream("tenants/none/documents/none")
    _use(settings, f"s3://there-is-no-such-bucket?endpoint={endpoint}&{KEYS}", tmp_path)
    with pytest.raises(StorageUnavailable) as away:
        files.open_stream("tenants/none/documents/none")
    assert away.value.code == "storage_unavailable"


def test_original_is_downloaded_from_the_bucket(bucket: Bucket, identity: Identity) -> None:
    document = stored(identity)
    response = sent(identity, document.id)
    assert b"".join(response) == ORIGINAL
    assert response["Content-Length"] == str(len(ORIGINAL))
    files.erase(document.file)
    assert sent(identity, document.id).json()["code"] == "file_missing"
