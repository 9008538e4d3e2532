import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import DataError, connections

from inference.core.calls import Call
from jobs.core.errors import StorageUnavailable
from jobs.core.models import Document, FileToErase
from jobs.documents import erasure, files
from jobs.documents.pages import open_page
from jobs.documents.reader import PageContent
from jobs.documents.reading import reader
from jobs.documents.services import store_document
from jobs.retention.documents import delete_document
from maas.scheduler.scheduler import Scheduler
from tenants.core.db.unit_of_work import OPERATOR, unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.documents.conftest import Folder
from tests.jobs.documents.test_services import stored, upload
from tests.samples.pdfs import scanned_pdf, text_pdf
from tests.waiting import eventually


def orders(identity: Identity) -> list[FileToErase]:
    with unit_of_work(identity.tenant_id):
        return list(FileToErase.objects.all())


def make_due(identity: Identity) -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(
            "UPDATE jobs_filetoerase SET due_at = clock_timestamp() - interval '1 s' WHERE tenant_id = %s",
            [identity.tenant_id],
        )


def order(identity: Identity, name: str) -> None:
    with unit_of_work(identity.tenant_id):
        erasure.order([name])


def store_without_a_row(identity: Identity, folder: Path) -> None:
    """Save the file of a document whose row the database refuses, because its size does not fit into a column."""
    unstorable = replace(upload(folder, text_pdf("orphan")), size_bytes=2**63)
    with pytest.raises(DataError):
        store_document(identity=identity, upload=unstorable)


def test_deleted_document_goes_when_storage_that_was_away_is_back(
    identity: Identity, folder: Folder, tmp_path: Path
) -> None:
    document = stored(identity, tmp_path, scanned_pdf("Erase me")).document
    open_page(document, 1)
    with folder.away():
        delete_document(identity=identity, document_id=document.id)
        erasure.erase_due_files()
    assert len(folder.files()) == 2
    assert [one.attempts for one in orders(identity)] == [1, 1]
    make_due(identity)
    erasure.erase_due_files()
    assert (folder.files(), orders(identity)) == ([], [])


def test_erasure_that_failed_is_tried_again_later_and_later(identity: Identity, folder: Folder) -> None:
    order(identity, "tenants/some/documents/one")
    waits = []
    for _ in range(9):
        erasure.erase_due_files()
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute(
                "SELECT extract(epoch FROM due_at - clock_timestamp()) FROM jobs_filetoerase WHERE tenant_id = %s",
                [identity.tenant_id],
            )
            waits.append(round(cursor.fetchone()[0]))
        make_due(identity)
    assert waits == [5, 10, 20, 40, 80, 160, 320, 600, 600]


def test_deleting_at_once_erases_at_once_and_leaves_no_order(
    identity: Identity, folder: Folder, tmp_path: Path
) -> None:
    document = stored(identity, tmp_path, scanned_pdf("Erase me")).document
    open_page(document, 1)
    delete_document(identity=identity, document_id=document.id)
    assert (folder.files(), orders(identity)) == ([], [])


def test_patience_that_one_deletion_used_up_leaves_the_next_to_the_scheduler(
    identity: Identity, folder: Folder, tmp_path: Path
) -> None:
    deadline = erasure.Deadline()
    slow, next_one = (stored(identity, tmp_path, scanned_pdf(words)).document for words in ("slow", "next"))
    with folder.away():
        delete_document(identity=identity, document_id=slow.id, deadline=deadline)
    delete_document(identity=identity, document_id=next_one.id, deadline=deadline)
    assert sorted(folder.files()) == sorted([slow.file, next_one.file])
    erasure.erase_due_files()
    assert (folder.files(), orders(identity)) == ([], [])


def test_file_whose_document_never_came_goes_once_it_is_due(identity: Identity, folder: Folder, tmp_path: Path) -> None:
    store_without_a_row(identity, tmp_path)
    erasure.erase_due_files()
    assert len(folder.files()) == 1, "somebody may still be writing its row"
    make_due(identity)
    erasure.erase_due_files()
    assert (folder.files(), orders(identity)) == ([], [])


def test_picture_whose_page_never_came_goes_once_it_is_due(
    identity: Identity, folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = stored(identity, tmp_path, scanned_pdf("Orphan")).document
    read_page = reader().read_page

    def with_a_width_that_is_no_number_for_a_column(
        path: Path, kind: object, number: int, call: Call | None
    ) -> PageContent:
        return replace(read_page(path, "pdf", number), width_px=2**70)

    monkeypatch.setattr(reader(), "read_page", with_a_width_that_is_no_number_for_a_column)
    with pytest.raises(DataError):
        open_page(document, 1)
    assert len(folder.files()) == 2
    make_due(identity)
    erasure.erase_due_files()
    assert (folder.files(), orders(identity)) == ([document.file], [])


def test_document_and_picture_that_were_kept_are_not_ordered_to_be_erased(
    identity: Identity, folder: Folder, tmp_path: Path
) -> None:
    document = stored(identity, tmp_path, scanned_pdf("Keep me")).document
    open_page(document, 1)
    assert orders(identity) == []
    assert len(folder.files()) == 2


def test_same_bytes_at_once_keep_exactly_one_file(
    identity: Identity, folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = text_pdf("at once")
    inspected = threading.Barrier(4)
    inspect = reader().inspect

    def inspect_together(path: Path) -> object:
        found = inspect(path)
        inspected.wait(20)
        return found

    def store(number: int) -> None:
        (tmp_path / str(number)).mkdir()
        stored(identity, tmp_path / str(number), content)
        connections.close_all()

    monkeypatch.setattr(reader(), "inspect", inspect_together)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(store, range(4)))
    with unit_of_work(identity.tenant_id):
        kept = Document.objects.get().file
    assert (folder.files(), orders(identity)) == ([kept], [])


def test_row_is_refused_once_its_file_may_have_been_erased(identity: Identity, folder: Folder) -> None:
    name = f"tenants/{identity.tenant_id}/documents/late"
    order(identity, name)
    erasure.erase_due_files()
    with pytest.raises(StorageUnavailable), unit_of_work(identity.tenant_id):
        erasure.withdraw(name)
    files.save_bytes(name, b"late")
    order(identity, name)
    erasure.erase_due_files()
    with pytest.raises(StorageUnavailable), unit_of_work(identity.tenant_id):
        erasure.withdraw(name)


def test_file_is_spared_while_its_row_is_being_written(identity: Identity, folder: Folder) -> None:
    name = f"tenants/{identity.tenant_id}/documents/one"
    files.save_bytes(name, b"content")
    order(identity, name)
    with unit_of_work(identity.tenant_id):
        erasure.withdraw(name)
        erasure.erase_due_files()
    erasure.erase_due_files()
    assert folder.files() == [name]


def test_file_that_cannot_be_erased_does_not_hold_up_the_next(identity: Identity, folder: Folder) -> None:
    stubborn, other = (f"tenants/{identity.tenant_id}/documents/{name}" for name in ("stubborn", "other"))
    files.save_bytes(stubborn + "/inside", b"a folder with something in it cannot be erased")
    files.save_bytes(other, b"content")
    order(identity, stubborn)
    order(identity, other)
    erasure.erase_due_files()
    assert folder.files() == [stubborn + "/inside"]
    assert [one.name for one in orders(identity)] == [stubborn]


def test_scheduler_erases_what_is_due_without_anybody_asking(
    identity: Identity, folder: Folder, tmp_path: Path
) -> None:
    store_without_a_row(identity, tmp_path)
    make_due(identity)
    stopping = threading.Event()

    def lead() -> None:
        Scheduler(stopping).run()
        connections.close_all()

    scheduler = threading.Thread(target=lead, daemon=True)
    scheduler.start()
    try:
        eventually(lambda: not folder.files() and not orders(identity), "the erasure")
    finally:
        stopping.set()
        scheduler.join(20)
