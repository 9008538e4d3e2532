"""Tests that commands that may take minutes report their progress on standard error."""

from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from jobs.documents.services import store_document
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.inference.pipelines.declarations import save_colors
from tests.samples.pdfs import text_pdf
from tests.samples.uploads import arrived


@pytest.fixture(autouse=True)
def _a_line_for_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenants.core.progress.EVERY_S", 0.0)


@pytest.fixture
def _a_document(identity: Identity, tmp_path: Path) -> None:
    store_document(identity=identity, upload=arrived(text_pdf("to be saved"), tmp_path / "upload.pdf"))


@pytest.fixture
def _a_lost_file(other_identity: Identity, tmp_path: Path) -> None:
    document = store_document(
        identity=other_identity, upload=arrived(text_pdf("to be lost"), tmp_path / "other.pdf")
    ).document
    default_storage.delete(document.file)


def _progress(command: str, *arguments: object, verbosity: int = 1) -> str:
    said = StringIO()
    # Other tests have left rows whose files are gone: a command that finds them says so at its end.
    with suppress(CommandError):
        call_command(command, *arguments, verbosity=verbosity, stdout=StringIO(), stderr=said)
    return said.getvalue()


@pytest.mark.usefixtures("_a_document", "_a_lost_file")
def test_backup_tells_its_stages_and_counts_files(tmp_path: Path) -> None:
    said = _progress("backup", tmp_path / "backup")
    for stage in ("listing the files", "counting the database's rows", "dumping ", " of ", " files, "):
        assert stage in said
    assert _progress("backup", tmp_path / "another", verbosity=0) == ""


@pytest.mark.usefixtures("_a_document", "_a_lost_file")
def test_verify_files_counts_files_and_bytes() -> None:
    assert "read 0 files, " in _progress("verify_files")
    assert _progress("verify_files", verbosity=0) == ""


def test_retention_tells_its_stages() -> None:
    stages = [line for line in _progress("retention").splitlines() if not line.startswith("erased ")]
    assert stages == ["erasing the texts of batches", "erasing documents, jobs and events"]
    assert _progress("retention", "--dry-run") == "counting what is overdue\n"


def test_models_add_tells_its_stages(tmp_path: Path) -> None:
    file = save_colors(tmp_path / "colors.onnx")
    lines = _progress("models", "add", file, "--name", unique("colors")).splitlines()
    assert [line.split()[0] for line in lines] == ["copying", "checking", "running", "storing"]
