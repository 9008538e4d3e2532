"""Tests of uploads whose process died between the last byte and the document."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar
from uuid import UUID

import pytest
from pytest_django import Settings

from jobs.core.errors import StorageUnavailable
from jobs.core.models import Document, FileToErase
from jobs.documents.selectors import get_document
from jobs.retention.documents import delete_document
from jobs.uploads import finishing
from jobs.uploads.decisions import Offer
from jobs.uploads.models import ResumableUpload, UploadPiece
from jobs.uploads.protocol import Announced
from jobs.uploads.receiving import Lease, count_pieces, drop_pieces, save_piece, take_turn
from jobs.uploads.selectors import get_upload
from jobs.uploads.services import create_upload, terminate_upload
from jobs.uploads.upkeep import expire_uploads, finish_stranded_uploads, forget_uploads
from maas.storage.folder import DurableFileSystemStorage
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk
from tests.jobs.documents.conftest import Folder, folder
from tests.samples.pdfs import text_pdf

__all__ = ["folder"]
PDF = text_pdf("one", "two", "three")


def sent(identity: Identity, folder: Path, content: bytes = PDF) -> Lease:
    """Send all of the content in three pieces. The process that held the upload is gone."""
    upload = create_upload(identity=identity, announced=Announced("a.pdf", "", len(content)))
    turn = take_turn(identity=identity, upload_id=upload.id, offer=Offer(0, None))
    third = len(content) // 3 + 1
    for start in range(0, len(content), third):
        path = folder / "piece"
        path.write_bytes(content[start : start + third])
        count_pieces(turn, [save_piece(turn, path, start, path.stat().st_size)])
    return turn


def found(turn: Lease) -> ResumableUpload:
    with unit_of_work(turn.tenant_id):
        return get_upload(turn.upload_id)


def lapse(desk: Desk, upload_id: UUID) -> None:
    desk.sql("UPDATE jobs_resumableupload SET lease_until = now() - interval '1 s' WHERE id = %s", upload_id)


def test_what_nobody_is_at_becomes_a_document_and_its_pieces_go(
    identity: Identity, folder: Folder, tmp_path: Path, desk: Desk
) -> None:
    turn = sent(identity, tmp_path)
    finish_stranded_uploads()
    assert found(turn).state == "checking", "its lease holds still"
    lapse(desk, turn.upload_id)
    finish_stranded_uploads()
    upload = found(turn)
    assert upload.state == "ready"
    with unit_of_work(identity.tenant_id):
        document = get_document(upload.document_id)
        assert not UploadPiece.objects.exists()
        assert not FileToErase.objects.exists()
    assert document.sha256 == hashlib.sha256(PDF).hexdigest()
    assert folder.files() == [document.file]


def test_who_died_after_the_document_was_stored_leaves_one_document(
    identity: Identity, folder: Folder, tmp_path: Path, desk: Desk
) -> None:
    first, second = sent(identity, tmp_path), sent(identity, tmp_path)
    for turn in (first, second):
        lapse(desk, turn.upload_id)
    finish_stranded_uploads()
    assert {found(first).document_id} == {found(second).document_id} != {None}
    with unit_of_work(identity.tenant_id):
        assert Document.objects.count() == 1


def test_whoever_lost_the_lease_says_nothing_any_more(
    identity: Identity, folder: Folder, tmp_path: Path, desk: Desk
) -> None:
    turn = sent(identity, tmp_path)
    lapse(desk, turn.upload_id)
    taken = finishing.claim(turn.tenant_id, turn.upload_id)
    assert taken is not None
    assert finishing.claim(turn.tenant_id, turn.upload_id) is None
    assert not finishing.keep(turn)
    finishing.put_off(turn, 0)
    assert finishing.keep(taken)


def test_a_file_that_is_no_document_is_rejected_and_says_why(
    identity: Identity, folder: Folder, tmp_path: Path, desk: Desk
) -> None:
    turn = sent(identity, tmp_path, b"Rar! an archive, of all things")
    lapse(desk, turn.upload_id)
    finish_stranded_uploads()
    upload = found(turn)
    assert (upload.state, upload.error_code, upload.document_id) == ("rejected", "unsupported_type", None)
    assert folder.files() == []


def test_storage_that_is_away_puts_it_off_and_loses_nothing(
    identity: Identity, folder: Folder, tmp_path: Path, desk: Desk
) -> None:
    turn = sent(identity, tmp_path)
    lapse(desk, turn.upload_id)
    with folder.away():
        finish_stranded_uploads()
    assert found(turn).state == "checking"
    finish_stranded_uploads()
    assert found(turn).state == "checking", "it is not tried again at once"
    lapse(desk, turn.upload_id)
    finish_stranded_uploads()
    assert found(turn).state == "ready"


def test_storage_that_is_away_moves_no_offset(identity: Identity, folder: Folder, tmp_path: Path) -> None:
    upload = create_upload(identity=identity, announced=Announced("a.pdf", "", 100))
    turn = take_turn(identity=identity, upload_id=upload.id, offer=Offer(0, None))
    (tmp_path / "piece").write_bytes(b"x" * 10)
    save_piece(turn, tmp_path / "piece", 0, 10)
    with folder.away(), pytest.raises(StorageUnavailable):
        save_piece(turn, tmp_path / "piece", 10, 10)
    assert found(turn).offset_bytes == 0


def test_pieces_of_one_who_lost_the_turn_are_not_counted(
    identity: Identity, folder: Folder, tmp_path: Path, desk: Desk
) -> None:
    upload = create_upload(identity=identity, announced=Announced("a.pdf", "", 100))
    (tmp_path / "piece").write_bytes(b"x" * 10)
    frozen = take_turn(identity=identity, upload_id=upload.id, offer=Offer(0, None))
    late = save_piece(frozen, tmp_path / "piece", 0, 10)
    lapse(desk, upload.id)
    quick = take_turn(identity=identity, upload_id=upload.id, offer=Offer(0, None))
    with pytest.raises(Exception, match="Another request"):
        count_pieces(frozen, [late])
    assert not count_pieces(quick, [save_piece(quick, tmp_path / "piece", 0, 10)])
    with unit_of_work(identity.tenant_id):
        assert UploadPiece.objects.count() == 1
        assert [one.name for one in FileToErase.objects.all()] == [late.name], "the orphan goes when it is due"


def test_what_could_not_be_finished_in_all_its_time_is_given_up(
    identity: Identity, folder: Folder, tmp_path: Path, desk: Desk
) -> None:
    turn = sent(identity, tmp_path)
    lapse(desk, turn.upload_id)
    desk.sql("UPDATE jobs_resumableupload SET expires_at = now() WHERE id = %s", turn.upload_id)
    expire_uploads()
    assert found(turn).state == "expired"
    assert folder.files() == []


def test_an_uploads_name_goes_with_its_document(identity: Identity, folder: Folder, tmp_path: Path, desk: Desk) -> None:
    turn = sent(identity, tmp_path)
    lapse(desk, turn.upload_id)
    finish_stranded_uploads()
    assert found(turn).name == "a.pdf"
    delete_document(identity=identity, document_id=found(turn).document_id)
    assert (found(turn).name, found(turn).metadata, found(turn).state) == ("", "", "ready")


def test_a_document_outlives_the_end_of_its_upload(
    identity: Identity, folder: Folder, tmp_path: Path, desk: Desk
) -> None:
    turn = sent(identity, tmp_path)
    lapse(desk, turn.upload_id)
    finish_stranded_uploads()
    terminate_upload(identity=identity, upload_id=turn.upload_id)
    with unit_of_work(identity.tenant_id):
        assert Document.objects.count() == 1


def test_an_upload_is_forgotten_some_days_after_its_end_and_its_document_stays(
    identity: Identity, folder: Folder, tmp_path: Path, desk: Desk
) -> None:
    old, young, still = sent(identity, tmp_path), sent(identity, tmp_path), sent(identity, tmp_path)
    lapse(desk, old.upload_id)
    finish_stranded_uploads()
    terminate_upload(identity=identity, upload_id=young.upload_id)
    for turn, days in ((old, 31), (young, 29), (still, 31)):
        desk.sql(
            f"UPDATE jobs_resumableupload SET ended_at = ended_at - interval '{days} days',"
            f" created_at = now() - interval '{days} days' WHERE id = %s",
            turn.upload_id,
        )
    forget_uploads()
    with unit_of_work(identity.tenant_id):
        kept = set(ResumableUpload.objects.values_list("id", flat=True))
        assert Document.objects.filter(deleted_at=None).count() == 1
    assert kept == {young.upload_id, still.upload_id}


class Interrupted(DurableFileSystemStorage):
    """A storage in which something happens while a document is being saved."""

    meanwhile: ClassVar[Callable[[], object]]

    def _save(self, name: str, content: object) -> str:
        if "/documents/" in name:
            type(self).meanwhile()
        return super()._save(name, content)


def while_saving(settings: Settings, meanwhile: Callable[[], object]) -> None:
    Interrupted.meanwhile = meanwhile
    options = settings.STORAGES["default"]["OPTIONS"]
    default = {"BACKEND": f"{__name__}.{Interrupted.__name__}", "OPTIONS": options}
    settings.STORAGES = {**settings.STORAGES, "default": default}


def expire(desk: Desk, turn: Lease) -> None:
    lapse(desk, turn.upload_id)
    desk.sql("UPDATE jobs_resumableupload SET expires_at = now() WHERE id = %s", turn.upload_id)
    expire_uploads()


@pytest.mark.parametrize("end", ["terminated", "expired"])
def test_no_document_appears_of_an_upload_that_was_given_up_while_it_was_stored(
    identity: Identity, folder: Folder, desk: Desk, settings: Settings, end: str
) -> None:
    turn = sent(identity, folder.path.parent)
    lapse(desk, turn.upload_id)
    ends = {
        "terminated": lambda: terminate_upload(identity=identity, upload_id=turn.upload_id),
        "expired": lambda: expire(desk, turn),
    }
    while_saving(settings, ends[end])
    finish_stranded_uploads()
    assert (found(turn).state, found(turn).document_id) == (end, None)
    with unit_of_work(identity.tenant_id):
        assert not Document.objects.exists()
        assert not FileToErase.objects.exists()
    assert folder.files() == []


def test_who_was_overtaken_while_storing_leaves_the_document_of_the_other(
    identity: Identity, folder: Folder, tmp_path: Path, desk: Desk, settings: Settings
) -> None:
    turn = sent(identity, tmp_path)
    lapse(desk, turn.upload_id)

    def overtake() -> None:
        Interrupted.meanwhile = lambda: None
        lapse(desk, turn.upload_id)
        finish_stranded_uploads()

    while_saving(settings, overtake)
    finish_stranded_uploads()
    with unit_of_work(identity.tenant_id):
        (document,) = Document.objects.all()
    assert (found(turn).state, found(turn).document_id) == ("ready", document.id)
    assert folder.files() == [document.file]


def test_a_piece_that_is_counted_stays_though_nobody_heard_of_it(
    identity: Identity, folder: Folder, tmp_path: Path
) -> None:
    """The response to a COMMIT may be lost. The sender then believes that the piece is not counted."""
    upload = create_upload(identity=identity, announced=Announced("a.pdf", "", 8))
    turn = take_turn(identity=identity, upload_id=upload.id, offer=Offer(0, None))
    (tmp_path / "piece").write_bytes(b"four")
    counted = save_piece(turn, tmp_path / "piece", 0, 4)
    count_pieces(turn, [counted])
    left = save_piece(turn, tmp_path / "piece", 4, 4)
    drop_pieces(turn, [counted, left])
    assert folder.files() == [counted.name]
    with pytest.raises(StorageUnavailable):
        count_pieces(turn, [left])
