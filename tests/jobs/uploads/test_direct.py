"""Tests of uploads that go to the storage itself, if a process dies in between or two do the same at once."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from pytest_django import Settings

from jobs.core.errors import StorageUnavailable
from jobs.core.models import FileToErase
from jobs.documents.erasure import erase_due_files
from jobs.documents.files import direct_name, part_store
from jobs.documents.selectors import get_document
from jobs.uploads.direct import complete, part_urls, require_part_store, stored_parts
from jobs.uploads.errors import (
    DirectUploadsUnavailable,
    OtherWay,
    PartsMissing,
    UploadFinished,
    UploadGone,
    UploadLocked,
)
from jobs.uploads.models import ResumableUpload
from jobs.uploads.protocol import Announced
from jobs.uploads.selectors import get_upload
from jobs.uploads.services import create_upload, terminate_upload
from jobs.uploads.upkeep import expire_uploads, finish_stranded_uploads
from maas.local.supervisor.ports import free_port
from maas.settings.env import storage_backend
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotFound
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk
from tests.jobs.documents.conftest import folder
from tests.samples.pdfs import text_pdf
from tests.stand_in_s3 import Bucket, new_bucket, stand_in_s3

__all__ = ["folder"]
PDF = text_pdf("one", "two")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with stand_in_s3() as address:
        yield address


@pytest.fixture
def bucket(endpoint: str, settings: Settings, tmp_path: Path) -> Bucket:
    made = new_bucket(endpoint)
    use(settings, made.url, tmp_path)
    return made


def use(settings: Settings, url: str, home: Path) -> None:
    settings.MAAS_SPOOL = home / "spool"
    settings.STORAGES = {**settings.STORAGES, "default": storage_backend(url, home)}


def begun(identity: Identity, size: int = len(PDF)) -> ResumableUpload:
    return create_upload(identity=identity, announced=Announced("a.pdf", "", size, direct=True))


def send(identity: Identity, upload: ResumableUpload, content: bytes = PDF) -> None:
    (one,) = part_urls(identity=identity, upload_id=upload.id, numbers=[1])
    assert httpx.put(one.url, content=content).status_code == 200


def found(upload: ResumableUpload) -> ResumableUpload:
    with unit_of_work(upload.tenant_id):
        return get_upload(upload.id)


def lapse(desk: Desk, upload_id: UUID) -> None:
    desk.sql("UPDATE jobs_resumableupload SET lease_until = now() - interval '1 s' WHERE id = %s", upload_id)


def make_due(desk: Desk) -> None:
    desk.sql("UPDATE jobs_filetoerase SET due_at = now() WHERE tenant_id = %s", desk.identity.tenant_id)


def test_what_was_completed_becomes_a_document_though_its_process_died(
    identity: Identity, bucket: Bucket, desk: Desk
) -> None:
    upload = begun(identity)
    send(identity, upload)
    assert complete(identity=identity, upload_id=upload.id) is not None
    assert found(upload).state == "checking"
    lapse(desk, upload.id)
    finish_stranded_uploads()
    ended = found(upload)
    assert (ended.state, ended.offset_bytes) == ("ready", len(PDF))
    with unit_of_work(identity.tenant_id):
        document = get_document(ended.document_id)
    assert [key.removeprefix("tenants-of-ours/") for key in bucket.objects()] == [document.file]
    assert bucket.begun() == []


def test_who_died_after_the_parts_were_joined_is_followed_by_who_asks_again(
    identity: Identity, bucket: Bucket
) -> None:
    upload = begun(identity)
    send(identity, upload)
    store, name = require_part_store(), direct_name(identity.tenant_id, upload.id)
    parts_id = found(upload).parts_id
    store.join(name, parts_id, store.stored(name, parts_id) or [])
    assert complete(identity=identity, upload_id=upload.id) is not None
    assert found(upload).state == "checking"
    assert complete(identity=identity, upload_id=upload.id) is None, "somebody is at it"


def test_of_two_who_complete_it_one_has_the_turn(identity: Identity, bucket: Bucket, desk: Desk) -> None:
    upload = begun(identity)
    send(identity, upload)
    desk.sql(
        "UPDATE jobs_resumableupload SET lease_token = 1, lease_until = now() + interval '1 min' WHERE id = %s",
        upload.id,
    )
    with pytest.raises(UploadLocked):
        complete(identity=identity, upload_id=upload.id)


def test_parts_that_are_missing_or_of_another_size_are_named_and_can_be_sent_again(
    identity: Identity, bucket: Bucket
) -> None:
    upload = begun(identity)
    with pytest.raises(PartsMissing) as none:
        complete(identity=identity, upload_id=upload.id)
    assert none.value.extra == {"missing": [1], "missing_total": 1}
    send(identity, upload, PDF[:-1])  # The stand-in does not look at the length that is signed.
    with pytest.raises(PartsMissing):
        complete(identity=identity, upload_id=upload.id)
    assert found(upload).state == "receiving"
    send(identity, upload)
    assert [part.size_bytes for part in stored_parts(identity=identity, upload_id=upload.id)] == [len(PDF)]
    assert complete(identity=identity, upload_id=upload.id) is not None


def test_an_upload_given_up_leaves_nothing_also_of_a_part_that_came_late(
    identity: Identity, bucket: Bucket, desk: Desk
) -> None:
    upload = begun(identity)
    send(identity, upload)
    terminate_upload(identity=identity, upload_id=upload.id)
    assert bucket.begun() == []
    late = require_part_store().begin(direct_name(identity.tenant_id, upload.id))
    assert late
    assert len(bucket.begun()) == 1
    make_due(desk)
    erase_due_files()
    assert bucket.begun() == []
    with unit_of_work(identity.tenant_id):
        assert not FileToErase.objects.exists()


def test_an_upload_that_nobody_goes_on_with_expires_and_its_parts_are_given_up(
    identity: Identity, bucket: Bucket, desk: Desk
) -> None:
    upload = begun(identity)
    send(identity, upload)
    desk.sql("UPDATE jobs_resumableupload SET expires_at = now() WHERE id = %s", upload.id)
    for ask in (complete, stored_parts):
        with pytest.raises(UploadGone):
            ask(identity=identity, upload_id=upload.id)
    expire_uploads()
    assert found(upload).state == "expired"
    assert bucket.begun() == []


def test_who_asks_for_urls_has_all_the_time_again(identity: Identity, bucket: Bucket, desk: Desk) -> None:
    upload = begun(identity)
    desk.sql("UPDATE jobs_resumableupload SET expires_at = now() + interval '1 min' WHERE id = %s", upload.id)
    part_urls(identity=identity, upload_id=upload.id, numbers=[1])
    assert (found(upload).expires_at - upload.created_at).total_seconds() > 80_000


def test_storage_that_is_away_loses_nothing_of_an_upload(
    identity: Identity, bucket: Bucket, settings: Settings, tmp_path: Path, desk: Desk
) -> None:
    upload = begun(identity)
    send(identity, upload)
    away = f"s3://{bucket.name}?endpoint=http://127.0.0.1:{free_port()}&{bucket.url.partition('&')[2]}"
    use(settings, away, tmp_path)
    with pytest.raises(StorageUnavailable):
        complete(identity=identity, upload_id=upload.id)
    use(settings, bucket.url, tmp_path)
    assert complete(identity=identity, upload_id=upload.id) is not None, "the turn was given back"


def test_parts_that_the_storage_let_go_of_by_itself_can_be_sent_anew(
    identity: Identity, bucket: Bucket
) -> None:
    upload = begun(identity)
    send(identity, upload)
    require_part_store().abort(direct_name(identity.tenant_id, upload.id))
    with pytest.raises(PartsMissing):
        complete(identity=identity, upload_id=upload.id)
    send(identity, upload)
    assert complete(identity=identity, upload_id=upload.id) is not None


def test_a_file_that_is_no_document_is_rejected_and_erased(
    identity: Identity, bucket: Bucket, desk: Desk
) -> None:
    content = b"PK\x03\x04 an archive, of all things"
    upload = begun(identity, len(content))
    send(identity, upload, content)
    complete(identity=identity, upload_id=upload.id)
    lapse(desk, upload.id)
    finish_stranded_uploads()
    assert (found(upload).state, found(upload).error_code) == ("rejected", "unsupported_type")
    assert bucket.objects() == []
    with pytest.raises(UploadFinished):
        part_urls(identity=identity, upload_id=upload.id, numbers=[1])


def test_a_folder_takes_no_direct_uploads(identity: Identity, folder: object) -> None:
    assert part_store() is None
    with pytest.raises(DirectUploadsUnavailable):
        begun(identity)


def test_an_upload_by_the_other_way_has_no_parts(identity: Identity, bucket: Bucket) -> None:
    upload = create_upload(identity=identity, announced=Announced("a.pdf", "", 10))
    for ask in (complete, stored_parts):
        with pytest.raises(OtherWay):
            ask(identity=identity, upload_id=upload.id)


def test_anothers_upload_is_not_there(identity: Identity, other_identity: Identity, bucket: Bucket) -> None:
    upload = begun(identity)
    with pytest.raises(NotFound):
        part_urls(identity=other_identity, upload_id=upload.id, numbers=[1])
    with pytest.raises(NotFound):
        complete(identity=other_identity, upload_id=upload.id)
