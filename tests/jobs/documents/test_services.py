import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.db import connections

from inference.core.calls import Call
from jobs.core.errors import DocumentDeleted
from jobs.core.models import Document, DocumentPage
from jobs.documents.pages import open_page, with_picture
from jobs.documents.reader import DocumentRejected, ReaderUnavailable
from jobs.documents.reading import reader
from jobs.documents.services import StoredDocument, store_document
from jobs.documents.uploads import Upload
from jobs.retention.documents import delete_document
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.samples.pdfs import encrypted_pdf, scanned_pdf, text_pdf
from tests.samples.uploads import arrived


def upload(folder: Path, content: bytes, name: str = "scan.pdf") -> Upload:
    return arrived(content, folder / f"{hashlib.sha256(content).hexdigest()[:8]}-{name}")


def stored(identity: Identity, folder: Path, content: bytes) -> StoredDocument:
    return store_document(identity=identity, upload=upload(folder, content))


def test_a_document_is_inspected_and_kept(identity: Identity, tmp_path: Path) -> None:
    made = stored(identity, tmp_path, scanned_pdf("one", "two"))
    assert made.created
    assert (made.document.kind, made.document.pages_total) == ("pdf", 2)
    assert default_storage.exists(made.document.file)


def test_the_same_bytes_are_recognized_for_the_same_tenant_only(
    identity: Identity, other_identity: Identity, tmp_path: Path
) -> None:
    content = text_pdf("the same")
    first, again = stored(identity, tmp_path, content), stored(identity, tmp_path, content)
    elsewhere = stored(other_identity, tmp_path, content)
    assert (again.created, again.document.id) == (False, first.document.id)
    assert elsewhere.created
    assert elsewhere.document.id != first.document.id


def test_the_same_bytes_of_a_test_are_a_document_of_their_own(identity: Identity, tmp_path: Path) -> None:
    content = text_pdf("sent by either key")
    testing = replace(identity, livemode=False)
    live, test = stored(identity, tmp_path, content), stored(testing, tmp_path, content)
    again = stored(testing, tmp_path, content)
    assert test.created
    assert (live.document.livemode, test.document.livemode) == (True, False)
    assert (again.created, again.document.id) == (False, test.document.id)
    delete_document(identity=testing, document_id=test.document.id)
    assert default_storage.exists(live.document.file)
    assert stored(identity, tmp_path, content).document.id == live.document.id


def test_what_a_live_key_sent_before_need_not_be_looked_at_again_for_a_test(identity: Identity, tmp_path: Path) -> None:
    live = stored(identity, tmp_path, text_pdf("known by its twin"))
    sent = upload(tmp_path, text_pdf("known by its twin"))
    test = store_document(identity=replace(identity, livemode=False), upload=replace(sent, inspection=None))
    assert test.created
    assert (test.document.kind, test.document.pages_total) == (live.document.kind, live.document.pages_total)


def test_the_same_bytes_at_once_become_one_document(identity: Identity, tmp_path: Path) -> None:
    content = text_pdf("at once")
    made: list[StoredDocument] = []

    def store(number: int) -> None:
        (tmp_path / str(number)).mkdir()
        made.append(stored(identity, tmp_path / str(number), content))
        connections.close_all()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(store, range(6)))
    assert len({one.document.id for one in made}) == 1
    assert sum(one.created for one in made) == 1
    assert default_storage.exists(made[0].document.file)


def test_a_rejected_document_leaves_nothing_behind(identity: Identity, tmp_path: Path) -> None:
    with pytest.raises(DocumentRejected, match="document_encrypted"):
        stored(identity, tmp_path, encrypted_pdf())
    with unit_of_work(identity.tenant_id):
        assert not Document.objects.exists()


def test_bytes_that_were_known_when_they_came_and_erased_since_are_asked_for_again(
    identity: Identity, tmp_path: Path
) -> None:
    known = replace(upload(tmp_path, text_pdf("known")), inspection=None)
    with pytest.raises(ReaderUnavailable, match="Send it again"):
        store_document(identity=identity, upload=known)


def test_a_page_is_rendered_once_and_its_picture_kept(identity: Identity, tmp_path: Path) -> None:
    document = stored(identity, tmp_path, scanned_pdf("Hello picture")).document
    first = open_page(document, 1).work
    again = open_page(document, 1).work
    assert first.text_lines is None
    assert first.load_pixels is not None
    assert again.load_pixels is not None
    assert (first.load_pixels() == again.load_pixels()).all(), "a second reading must see the very same pixels"
    with unit_of_work(identity.tenant_id):
        assert DocumentPage.objects.count() == 1


def test_a_pages_own_text_is_read_without_its_picture(identity: Identity, tmp_path: Path) -> None:
    document = stored(identity, tmp_path, text_pdf("A sentence that is part of the document itself.")).document
    for _ in range(2):
        lines = open_page(document, 1).work.text_lines
        assert lines is not None
        assert "A sentence that is part" in lines[0].text
        assert lines[0].box is not None


def test_a_page_with_text_is_drawn_once_when_its_picture_is_needed(identity: Identity, tmp_path: Path) -> None:
    document = stored(identity, tmp_path, text_pdf("A sentence that is part of the document itself.")).document
    page = open_page(document, 1)
    with unit_of_work(identity.tenant_id):
        undrawn = DocumentPage.objects.get()
    assert undrawn.picture == ""
    assert page.work.load_pixels is not None
    pixels = page.work.load_pixels()
    with unit_of_work(identity.tenant_id):
        picture = DocumentPage.objects.get().picture
    again = open_page(document, 1)
    assert again.work.load_pixels is not None
    assert (again.work.load_pixels() == pixels).all()
    assert (again.sha256, again.picture_sha256) == (page.sha256, page.picture_sha256)
    assert with_picture(document, undrawn).picture == picture, "another drawing must not replace the first"
    folder = f"tenants/{identity.tenant_id}/documents/{document.id}/pages"
    assert len(default_storage.listdir(folder)[1]) == 1


def test_a_page_drawn_while_its_document_is_erased_leaves_no_picture(
    identity: Identity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = stored(identity, tmp_path, text_pdf("A sentence that is part of the document itself.")).document
    open_page(document, 1)
    with unit_of_work(identity.tenant_id):
        undrawn = DocumentPage.objects.get()
    draw = reader().read_page

    def erase_meanwhile(path: Path, kind: str, number: int, call: Call | None, *, drawn: bool) -> object:
        content = draw(path, "pdf", number, drawn=drawn)
        delete_document(identity=identity, document_id=document.id)
        return content

    monkeypatch.setattr(reader(), "read_page", erase_meanwhile)
    with pytest.raises(DocumentDeleted):
        with_picture(document, undrawn)
    folder = f"tenants/{identity.tenant_id}/documents/{document.id}/pages"
    assert not default_storage.exists(folder) or default_storage.listdir(folder)[1] == []


def test_erasing_removes_file_and_pictures(identity: Identity, tmp_path: Path) -> None:
    document = stored(identity, tmp_path, scanned_pdf("Erase me")).document
    open_page(document, 1)
    with unit_of_work(identity.tenant_id):
        picture = DocumentPage.objects.get().picture
    assert default_storage.exists(picture)
    delete_document(identity=identity, document_id=document.id)
    assert not default_storage.exists(picture)
    assert not default_storage.exists(document.file)


def test_a_page_rendered_while_its_document_is_erased_leaves_no_picture(
    identity: Identity, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = stored(identity, tmp_path, scanned_pdf("Racing")).document
    kept = reader().read_page

    def erase_meanwhile(path: Path, kind: str, number: int, call: Call | None) -> object:
        content = kept(path, "pdf", number)
        delete_document(identity=identity, document_id=document.id)
        return content

    monkeypatch.setattr(reader(), "read_page", erase_meanwhile)
    open_page(document, 1)
    with unit_of_work(identity.tenant_id):
        assert not DocumentPage.objects.exists()
    folder = f"tenants/{identity.tenant_id}/documents/{document.id}/pages"
    assert not default_storage.exists(folder) or default_storage.listdir(folder)[1] == []


def test_a_document_with_more_pages_than_the_tenant_may_send_is_refused(identity: Identity, tmp_path: Path) -> None:
    limits = identity.limits
    tight = type(identity)(
        tenant_id=identity.tenant_id,
        scopes=identity.scopes,
        limits=limits.tightened(replace(limits, document_pages=1)),
    )
    with pytest.raises(DocumentRejected, match="2 pages, but at most 1"):
        stored(tight, tmp_path, scanned_pdf("one", "two"))


def test_sending_and_erasing_the_same_bytes_at_once_never_fails(identity: Identity, tmp_path: Path) -> None:
    content = text_pdf("sent and erased")
    failed: list[Exception] = []

    def send_and_erase(number: int) -> None:
        folder = tmp_path / str(number)
        folder.mkdir()
        for _ in range(8):
            try:
                made = stored(identity, folder, content)
                delete_document(identity=identity, document_id=made.document.id)
            except (DocumentDeleted, ReaderUnavailable):
                pass
            except Exception as error:
                failed.append(error)
        connections.close_all()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(send_and_erase, range(6)))
    assert failed == []
