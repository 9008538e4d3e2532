import json
from pathlib import Path

import pytest
from django.apps import apps
from django.core.files.storage import default_storage
from django.db import connections, models

from jobs.core.models import Document
from jobs.documents.services import store_document
from jobs.retention.documents import delete_document
from maas.ops.backup.folder import BackupError, BackupFolder
from maas.ops.backup.named_files import NamedFile
from maas.ops.backup.take import Taking, one_moment, refuse_hidden_tables, row_counts
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity
from tests.samples.pdfs import text_pdf
from tests.samples.uploads import arrived


@pytest.fixture
def document(identity: Identity, tmp_path: Path) -> Document:
    upload = arrived(text_pdf("to be saved"), tmp_path / "upload.pdf")
    return store_document(identity=identity, upload=upload).document


def named(document: Document) -> NamedFile:
    return NamedFile(document.file, document.sha256, document.id)


def copied(folder: Path, files: list[NamedFile], previous: BackupFolder | None = None) -> Taking:
    taking = Taking(folder, previous=previous, files=True, secrets=True)
    taking.copy(files)
    return taking


def test_a_file_is_copied_and_listed_with_its_digest(document: Document, tmp_path: Path) -> None:
    copied(tmp_path / "backup", [named(document)])
    held = json.loads((tmp_path / "backup" / "files.jsonl").read_text())
    assert held == {"name": document.file, "sha256": document.sha256, "bytes": document.size_bytes}
    assert (tmp_path / "backup" / "files" / document.file).stat().st_size == document.size_bytes


def test_a_file_of_the_backup_before_is_linked(document: Document, tmp_path: Path) -> None:
    copied(tmp_path / "first", [named(document)])
    copied(tmp_path / "second", [named(document)], BackupFolder(tmp_path / "first"))
    one, other = (tmp_path / folder / "files" / document.file for folder in ("first", "second"))
    assert one.samefile(other)


def test_what_is_deleted_after_the_dump_is_noted_and_is_no_fault(
    identity: Identity, document: Document, tmp_path: Path
) -> None:
    wanted = [named(document)]
    delete_document(identity=identity, document_id=document.id)
    taking = copied(tmp_path / "backup", wanted)
    assert taking.erased == {str(document.id)}
    assert taking.problems == []


def test_a_file_that_is_missing_under_its_row_is_a_fault(document: Document, tmp_path: Path) -> None:
    default_storage.delete(document.file)
    taking = copied(tmp_path / "backup", [named(document)])
    assert taking.problems == [f"{document.file} is missing from the storage"]


def test_a_damaged_file_is_kept_and_is_a_fault(document: Document, tmp_path: Path) -> None:
    Path(default_storage.path(document.file)).write_bytes(b"not what it was")
    taking = copied(tmp_path / "backup", [named(document)])
    assert "is damaged" in taking.problems[0]
    assert (tmp_path / "backup" / "files" / document.file).read_bytes() == b"not what it was"


def test_a_folder_that_exists_is_never_written_to(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="is there already"):
        Taking(tmp_path, previous=None, files=True, secrets=True)


def test_a_table_that_hides_its_rows_from_the_operator_stops_the_backup() -> None:
    with connections["owner"].cursor() as owner:
        owner.execute(
            "CREATE TABLE hidden_from_backups (id int); ALTER TABLE hidden_from_backups ENABLE ROW LEVEL SECURITY"
        )
    try:
        with operator_work(), pytest.raises(BackupError, match="hidden_from_backups"):
            refuse_hidden_tables()
    finally:
        with connections["owner"].cursor() as owner:
            owner.execute("DROP TABLE hidden_from_backups")


def test_no_table_of_the_product_hides_its_rows() -> None:
    with operator_work():
        refuse_hidden_tables()


def test_rows_are_counted_as_of_one_moment(document: Document, identity: Identity, tmp_path: Path) -> None:
    with one_moment():
        before = row_counts()["jobs_document"]
        store_document(identity=identity, upload=arrived(text_pdf("later"), tmp_path / "later.pdf"))
        assert row_counts()["jobs_document"] == before


def test_every_column_that_names_a_file_is_known_to_backups() -> None:
    """New columns belong in maas/ops/backup/named_files.py, unless their rows end before a backup is restored."""
    columns = {
        f"{model.__name__}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, models.FileField) or getattr(field, "max_length", None) == 300
    }
    assert columns == {
        "Archive.file",
        "BatchTask.errors",
        "BatchTask.input",
        "BatchTask.output",
        "Document.file",
        "DocumentPage.picture",
        "FileToErase.name",
        "StoredFile.file",
        "UploadPiece.name",  # Not taken along: an upload that was under way expires.
    }
