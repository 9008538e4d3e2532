"""Parts of files that clients send to S3-compatible storage themselves, against a stand-in on this machine."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from pytest_django import Settings

from jobs.documents import files
from jobs.documents.files import PartStore, part_store
from maas.local.supervisor.ports import free_port
from maas.settings.env import storage_backend
from tests.stand_in_s3 import Bucket, new_bucket, stand_in_s3

NAME = "tenants/some/uploads/one/direct"
FIRST, LAST = b"a" * 5 * 2**20, b"the end"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with stand_in_s3() as address:
        yield address


@pytest.fixture
def bucket(endpoint: str, settings: Settings, tmp_path: Path) -> Bucket:
    made = new_bucket(endpoint)
    settings.STORAGES = {**settings.STORAGES, "default": storage_backend(made.url, tmp_path)}
    return made


@pytest.fixture
def store(bucket: Bucket) -> PartStore:
    found = part_store()
    assert found is not None
    return found


def send(store: PartStore, parts_id: str, number: int, content: bytes) -> None:
    url = store.url(NAME, parts_id, number, len(content), lives_s=60)
    assert httpx.put(url, content=content).status_code == 200


def test_parts_that_were_sent_and_joined_are_the_file(store: PartStore, bucket: Bucket) -> None:
    parts_id = store.begin(NAME)
    send(store, parts_id, 2, LAST)
    send(store, parts_id, 1, FIRST)
    stored = store.stored(NAME, parts_id)
    assert stored is not None
    assert [(part.number, part.size_bytes) for part in stored] == [(1, len(FIRST)), (2, len(LAST))]
    assert store.size(NAME) is None
    store.join(NAME, parts_id, stored)
    assert store.size(NAME) == len(FIRST) + len(LAST)
    assert b"".join(store.blocks(NAME)) == FIRST + LAST
    assert store.stored(NAME, parts_id) is None
    assert bucket.begun() == []


def test_a_url_is_for_one_part_of_one_length_and_ends(store: PartStore) -> None:
    url = urlsplit(store.url(NAME, "some-parts", 7, 123, lives_s=60))
    told = {name: values[0] for name, values in parse_qs(url.query).items()}
    assert url.path.endswith(NAME)
    assert (told["partNumber"], told["uploadId"], told["X-Amz-Expires"]) == ("7", "some-parts", "60")
    assert set(told["X-Amz-SignedHeaders"].split(";")) == {"content-length", "host"}
    assert not any("checksum" in name.lower() for name in told)


def test_urls_are_for_the_address_that_clients_know(
    settings: Settings, tmp_path: Path, bucket: Bucket
) -> None:
    url = f"{bucket.url}&public_endpoint=https://files.example.com"
    settings.STORAGES = {**settings.STORAGES, "default": storage_backend(url, tmp_path)}
    store = part_store()
    assert store is not None
    assert urlsplit(store.url(NAME, "some-parts", 1, 1, lives_s=60)).netloc == "files.example.com"


def test_erasing_gives_up_whatever_was_begun_under_the_name_and_nothing_beside_it(
    store: PartStore, bucket: Bucket
) -> None:
    for _ in range(2):
        send(store, store.begin(NAME), 1, FIRST)
    beside = store.begin(f"{NAME}-of-another")
    files.save_bytes(NAME, b"joined before")
    files.erase(NAME)
    files.erase(NAME)
    assert [key.endswith("-of-another") for key in bucket.begun()] == [True]
    assert store.stored(f"{NAME}-of-another", beside) == []
    assert bucket.objects() == []


def test_a_folder_takes_no_parts(settings: Settings, tmp_path: Path) -> None:
    settings.STORAGES = {**settings.STORAGES, "default": storage_backend(f"file://{tmp_path}", tmp_path)}
    assert part_store() is None


def test_storage_that_is_away_or_has_no_bucket_is_an_os_error(
    settings: Settings, tmp_path: Path, bucket: Bucket
) -> None:
    for url in (
        f"s3://no-such-bucket?{bucket.url.partition('?')[2]}",
        f"s3://some?endpoint=http://127.0.0.1:{free_port()}&region=eu-central-1&access_key=a&secret_key=b",
    ):
        settings.STORAGES = {**settings.STORAGES, "default": storage_backend(url, tmp_path)}
        store = part_store()
        assert store is not None
        for ask in (store.begin, store.abort, store.size):
            with pytest.raises(OSError, match="object storage"):
                ask(NAME)
        with pytest.raises(OSError, match="object storage"):
            next(store.blocks(NAME))
